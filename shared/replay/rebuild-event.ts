import type { Envelope } from "../envelope/envelope.ts";
import { stableId } from "../envelope/ids.ts";
import { childTraceparent } from "../envelope/traceparent.ts";
import { eventIdOf } from "../ingest/event-id.ts";
import { genericSubjectPrefix, makeEnvelope } from "../ingest/make-envelope.ts";
import { withData } from "../ingest/raw-body.ts";
import type { StoredWebhook } from "../ledgers/inbox.ts";
import type { Services } from "../services.ts";
import { readPayload, UnsupportedContentType } from "../sources/read-payload.ts";
import { PayloadProblem } from "../sources/source.ts";
import { findSource } from "../sources/sources.ts";

export type Rebuilt =
  /** `published` as it goes onto the bus; `loaded` with the data in any case. */
  | { readonly kind: "event"; readonly published: Envelope; readonly loaded: Envelope }
  | { readonly kind: "unusable"; readonly problem: string };

/** The event of a stored webhook, as it was published: what was normalised then is not normalised again. */
export function eventAsPublished(webhook: StoredWebhook, body: Uint8Array): Rebuilt {
  const data = readData(webhook, body);
  if (data instanceof Error) return { kind: "unusable", problem: data.message };
  const published = withData(webhook.envelope, data, webhook.size, webhook.bodyRef);
  return { kind: "event", published, loaded: { ...webhook.envelope, data } };
}

/** Whether the webhook was published under its source's one subject, for the dispatcher to look into. */
export function isGeneric({ envelope, problem }: StoredWebhook): boolean {
  return problem === undefined && envelope.type.startsWith(genericSubjectPrefix);
}

/**
 * The event of a stored webhook, read by today's normaliser. It gets the id it would have had if it had been understood
 * when it came, so that the vendor's own redelivery of it is the same event, and keeps its first correlation id.
 */
export async function eventByNormaliser(
  services: Services,
  webhook: StoredWebhook,
  body: Uint8Array,
): Promise<Rebuilt> {
  const { envelope: first } = webhook;
  const found = await services.connections.find(first.connectionid);
  const source = findSource(first.sourcesystem);
  if (found === undefined || source === undefined) {
    return { kind: "unusable", problem: "The connection it came through is gone." };
  }
  const data = readData(webhook, body);
  if (data instanceof Error) return { kind: "unusable", problem: data.message };
  try {
    const headers = readerOf(webhook);
    const about = source.normalise({ headers, body }, data, found.connection.normaliserConfig);
    const received = {
      tenantId: first.tenantid,
      connectionId: first.connectionid,
      payloadHash: first.payloadhash,
    };
    const eventId = isGeneric(webhook)
      ? stableId("dispatched", first.id)
      : eventIdOf(received, about.deliveryId);
    const origin = {
      ...received,
      sourceSystem: first.sourcesystem,
      eventId,
      traceparent: childTraceparent(first.traceparent),
      receivedAt: new Date(first.receivedat),
    };
    const cause = eventId === first.id ? {} : { causationid: first.id };
    const event = { ...makeEnvelope(origin, about), correlationid: first.correlationid, ...cause };
    const published = withData(event, data, webhook.size, webhook.bodyRef);
    return { kind: "event", published, loaded: { ...event, data } };
  } catch (error) {
    if (!(error instanceof PayloadProblem)) throw error;
    return { kind: "unusable", problem: `${error.field}: ${error.message}` };
  }
}

function readData(webhook: StoredWebhook, body: Uint8Array): unknown {
  try {
    return readPayload({ headers: readerOf(webhook), body });
  } catch (error) {
    if (error instanceof PayloadProblem || error instanceof UnsupportedContentType) return error;
    throw error;
  }
}

function readerOf({ headers, contentType }: StoredWebhook): { get: (name: string) => string | null } {
  const all: Readonly<Record<string, string>> = { ...headers, "content-type": contentType };
  return { get: (name) => all[name.toLowerCase()] ?? null };
}
