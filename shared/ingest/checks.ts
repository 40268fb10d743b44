import type { Connection } from "../connections/connection.ts";
import { Fault } from "../faults.ts";
import type { Log, LogValues } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { findScheme } from "../sources/schemes.ts";
import type { HeaderReader, Verdict, Webhook } from "../sources/source.ts";
import { clientAddress, isAllowed } from "./client-address.ts";
import { countRefusal } from "./refusals.ts";

export function checkSender(services: Services, connection: Connection, headers: HeaderReader): void {
  const address = clientAddress(headers, services.trustedProxies);
  if (!isAllowed(address, connection.allowedIps)) throw new Fault("sender-not-allowed");
}

/** By what the headers say first, so that a body too large is not even read where that can be helped. */
export async function readWithin(
  maxBytes: number,
  headers: HeaderReader,
  body: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await body();
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

function tooLarge(maxBytes: number): Fault {
  return new Fault("body-too-large", `A webhook of this connection may have at most ${maxBytes} bytes.`);
}

export function checkSignature(
  services: Services,
  log: Log,
  connection: Connection,
  webhook: Webhook,
  secrets: readonly string[],
): void {
  const verdict: Verdict = findScheme(connection.scheme)?.verify({
    webhook,
    secrets,
    now: new Date(),
    config: connection.schemeConfig,
  }) ?? { kind: "refused", reason: "no-secret" };
  if (verdict.kind === "verified") return;
  log.event("webhook.refused", {
    ...connectionValues(connection),
    action: "REFUSED",
    errorCode: verdict.reason,
  });
  countRefusal(services, connection, verdict.reason);
  throw new Fault("signature-invalid", `The webhook was refused: ${refusals[verdict.reason]}`);
}

const refusals = {
  missing: "it carries no signature.",
  malformed: "its signature is not of the form this source uses.",
  mismatch: "its signature does not match its body.",
  stale: "its signature is too old, or from the future.",
  "no-secret": "the connection has no secret to verify it with.",
} as const;

/** How often a connection was turned away since it last got through, for those that are to wait ever longer. */
const refusedInARow = new Map<string, number>();
const longestBackoff = 5;

export async function checkRate(services: Services, connection: Connection): Promise<void> {
  const { rateLimit, tenantId, connectionId } = connection;
  if (rateLimit === undefined) return;
  const bucket = { tenantId, name: `hook|${connectionId}` };
  const { maxEventsPerMinute, burstAllowance, backoffOnLimit } = rateLimit;
  const burst = Math.max(1, burstAllowance);
  const { allowed, retryAfterSeconds } = await services.rates.take(
    bucket,
    maxEventsPerMinute,
    burst,
    new Date(),
  );
  const refusedBefore = refusedInARow.get(connectionId) ?? 0;
  if (allowed > 0) {
    refusedInARow.delete(connectionId);
    return;
  }
  refusedInARow.set(connectionId, refusedBefore + 1);
  const factor = backoffOnLimit ? 2 ** Math.min(refusedBefore, longestBackoff) : 1;
  throw new Fault("too-many-requests", undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds * factor)),
  });
}

export function connectionValues({ tenantId, source, connectionId }: Connection): LogValues {
  return { tenantId, sourceSystem: source, objectType: "connection", objectId: connectionId };
}
