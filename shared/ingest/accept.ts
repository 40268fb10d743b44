import { createHash } from "node:crypto";

import type { Connection } from "../connections/connection.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { childTraceparent } from "../envelope/traceparent.ts";
import { Fault } from "../faults.ts";
import type { StoredWebhook } from "../ledgers/inbox.ts";
import type { Log, LogValues } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { textAt } from "../sources/field.ts";
import { readPayload, UnsupportedContentType } from "../sources/read-payload.ts";
import {
  type Handshake,
  type HeaderReader,
  type Normalised,
  PayloadProblem,
  type Source,
  type Webhook,
} from "../sources/source.ts";
import { findSource } from "../sources/sources.ts";
import { checkRate, checkSender, checkSignature, connectionValues, readWithin } from "./checks.ts";
import { eventIdOf, quarantineIdOf, type Received } from "./event-id.ts";
import { keptHeaders } from "./kept-headers.ts";
import { genericFor, makeEnvelope } from "./make-envelope.ts";
import { quarantineWebhook } from "./quarantine.ts";
import { placeBody, withData } from "./raw-body.ts";

export interface IncomingHeaders extends HeaderReader, Iterable<readonly [string, string]> {}

export interface Incoming {
  readonly connectionId: string;
  readonly headers: IncomingHeaders;
  /** Read only once the headers have been looked at. */
  readonly body: () => Promise<Uint8Array>;
}

export type Acceptance =
  | { readonly kind: "accepted"; readonly correlationId: string; readonly duplicate: boolean }
  | { readonly kind: "handshake"; readonly handshake: Handshake }
  /** Signed, and unusable: kept for a person, and the sender is told. */
  | { readonly kind: "quarantined"; readonly correlationId: string; readonly problem: PayloadProblem };

/**
 * A webhook on its way in: known address, allowed sender, right size, right signature, within its rate, readable. Only
 * then is it stored, and only then answered. Nothing is parsed before the signature of its bytes has been found right.
 */
export async function acceptWebhook(services: Services, log: Log, incoming: Incoming): Promise<Acceptance> {
  const { connectionId, headers } = incoming;
  const found = await services.connections.find(connectionId);
  const source = findSource(found?.connection.source ?? "");
  if (found === undefined || source === undefined) throw new Fault("hook-unknown");
  const { connection, secrets } = found;
  if (!connection.enabled) throw new Fault("connection-disabled");
  checkSender(services, connection, headers);
  const body = await readWithin(connection.maxBodyBytes, headers, incoming.body);
  const webhook: Webhook = { headers, body };
  checkSignature(services, log, connection, webhook, secrets);
  await checkRate(services, connection);
  const data = readData(webhook);
  if (data instanceof PayloadProblem) return quarantine(services, log, connection, webhook, headers, data);
  const handshake = source.handshake?.(webhook, data);
  if (handshake !== undefined) {
    log.event("webhook.answered", connectionValues(connection));
    return { kind: "handshake", handshake };
  }
  return store(services, log, connection, source, webhook, headers, data);
}

function readData(webhook: Webhook): unknown {
  try {
    return readPayload(webhook);
  } catch (error) {
    if (error instanceof UnsupportedContentType) throw new Fault("unsupported-media-type", error.message);
    if (error instanceof PayloadProblem) return error;
    throw error;
  }
}

async function store(
  services: Services,
  log: Log,
  connection: Connection,
  source: Source,
  webhook: Webhook,
  headers: IncomingHeaders,
  data: unknown,
): Promise<Acceptance> {
  const normalised = normalise(connection, source, webhook, data);
  if (normalised instanceof PayloadProblem) {
    return quarantine(services, log, connection, webhook, headers, normalised);
  }
  const { about, deliveryId } = normalised;
  const origin = originOf(connection, webhook, (received) => eventIdOf(received, deliveryId));
  const envelope = makeEnvelope(origin, about);
  const stored = await storedForm(services, connection, envelope, webhook, headers, data);
  const published = withData(envelope, data, webhook.body.byteLength, stored.bodyRef);
  const result = await services.inbox.accept(stored, published, (error) =>
    log.event("event.unpublished", { ...eventValues(envelope), errorCode: codeOf(error) }),
  );
  const duplicate = result.kind === "duplicate";
  log.event(duplicate ? "webhook.repeated" : "webhook.accepted", {
    ...eventValues(envelope),
    action: duplicate ? "DEDUPE_HIT" : "ACCEPTED",
  });
  return { kind: "accepted", correlationId: envelope.correlationid, duplicate };
}

/** Pattern 2 leaves the looking-into to the dispatcher; the delivery's id is wanted in either case. */
function normalise(
  { pattern, source: sourceName, normaliserConfig }: Connection,
  source: Source,
  webhook: Webhook,
  data: unknown,
): { about: Normalised; deliveryId: string | undefined } | PayloadProblem {
  try {
    const about = source.normalise(webhook, data, normaliserConfig);
    return { about: pattern === "generic" ? genericFor(sourceName) : about, deliveryId: about.deliveryId };
  } catch (error) {
    if (!(error instanceof PayloadProblem)) throw error;
    return pattern === "generic" ? { about: genericFor(sourceName), deliveryId: undefined } : error;
  }
}

async function quarantine(
  services: Services,
  log: Log,
  connection: Connection,
  webhook: Webhook,
  headers: IncomingHeaders,
  problem: PayloadProblem,
): Promise<Acceptance> {
  const about = { ...genericFor(connection.source), eventType: "unreadable" };
  const envelope = makeEnvelope(originOf(connection, webhook, quarantineIdOf), about);
  const stored = await storedForm(services, connection, envelope, webhook, headers);
  await quarantineWebhook(services, log, { ...stored, problem: `${problem.field}: ${problem.message}` });
  return { kind: "quarantined", correlationId: envelope.correlationid, problem };
}

async function storedForm(
  services: Services,
  { schemeConfig }: Connection,
  envelope: Envelope,
  { body }: Webhook,
  headers: IncomingHeaders,
  data?: unknown,
): Promise<StoredWebhook> {
  return {
    envelope,
    contentType: headers.get("content-type") ?? "",
    headers: keptHeaders(headers, textAt(schemeConfig, "header")),
    size: body.byteLength,
    ...(await placeBody(services.rawBodies, envelope, body, data)),
  };
}

function originOf(
  { tenantId, connectionId, source }: Connection,
  { body, headers }: Webhook,
  idOf: (received: Received) => string,
): Parameters<typeof makeEnvelope>[0] {
  const payloadHash = createHash("sha256").update(body).digest("hex");
  return {
    tenantId,
    connectionId,
    sourceSystem: source,
    eventId: idOf({ tenantId, connectionId, payloadHash }),
    payloadHash,
    traceparent: childTraceparent(headers.get("traceparent") ?? ""),
    receivedAt: new Date(),
  };
}

function eventValues(envelope: Envelope): LogValues {
  return {
    tenantId: envelope.tenantid,
    correlationId: envelope.correlationid,
    sourceSystem: envelope.sourcesystem,
    objectType: envelope.objecttype,
    objectId: envelope.objectid,
    eventId: envelope.id,
    payloadHash: envelope.payloadhash,
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unexpected";
}
