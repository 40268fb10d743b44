import type { Envelope } from "../envelope/envelope.ts";
import { stableId } from "../envelope/ids.ts";
import { childTraceparent } from "../envelope/traceparent.ts";
import { findWebhook } from "../ledgers/inbox.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { PayloadProblem } from "../sources/source.ts";
import { findSource } from "../sources/sources.ts";
import { withData as loaded } from "../work/execution.ts";
import { makeEnvelope } from "./make-envelope.ts";
import { recordQuarantine } from "./quarantine.ts";
import { withData } from "./raw-body.ts";

/**
 * Pattern 2: the same normaliser that pattern 1 runs before the bus runs behind it. The specific event has an id of its
 * own, made of the generic one's, and the same correlation id.
 */
export async function dispatchGeneric(services: Services, log: Log, generic: Envelope): Promise<void> {
  const { tenantid, correlationid, connectionid } = generic;
  const webhook = await findWebhook(services.tables.inbox, tenantid, correlationid);
  const found = await services.connections.find(connectionid);
  const source = findSource(generic.sourcesystem);
  if (webhook === undefined || source === undefined)
    throw new Error(`The webhook of event ${generic.id} is gone`);
  const { data } = await loaded(services, generic);
  const received = { headers: readerOf(webhook.headers), body: webhook.body ?? new Uint8Array() };
  try {
    const about = source.normalise(received, data, found?.connection.normaliserConfig);
    const origin = {
      tenantId: tenantid,
      connectionId: connectionid,
      sourceSystem: generic.sourcesystem,
      eventId: stableId("dispatched", generic.id),
      payloadHash: generic.payloadhash,
      traceparent: childTraceparent(generic.traceparent),
      receivedAt: new Date(generic.receivedat),
    };
    const specific = { ...makeEnvelope(origin, about), correlationid, causationid: generic.id };
    await services.publish(withData(specific, data, webhook.size, webhook.bodyRef));
    await writeTimeline(services.commits.timeline, tenantid, correlationid, [
      { at: new Date(), kind: "dispatched", stepId: specific.id, details: { subject: specific.type } },
    ]);
    log.event("event.dispatched", {
      tenantId: tenantid,
      correlationId: correlationid,
      eventId: specific.id,
      sourceSystem: generic.sourcesystem,
      objectType: about.objectType,
      objectId: about.objectId,
      payloadHash: generic.payloadhash,
    });
  } catch (error) {
    if (!(error instanceof PayloadProblem)) throw error;
    await recordQuarantine(services, log, { ...webhook, problem: `${error.field}: ${error.message}` });
  }
}

function readerOf(headers: Readonly<Record<string, string>>): { get: (name: string) => string | null } {
  return { get: (name) => headers[name.toLowerCase()] ?? null };
}
