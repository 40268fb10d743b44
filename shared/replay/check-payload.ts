import { createHash } from "node:crypto";

import type { Envelope } from "../envelope/envelope.ts";
import { readBody, readStored } from "../ingest/raw-body.ts";
import { canonicalJson } from "../json/canonical.ts";
import { findWebhook, type StoredWebhook } from "../ledgers/inbox.ts";
import { isStatus } from "../ledgers/storage-error.ts";
import type { Services } from "../services.ts";
import { UnsupportedContentType } from "../sources/read-payload.ts";
import { PayloadProblem } from "../sources/source.ts";

export type PayloadCheck =
  /** `loaded` has the data, wherever they were; `verified` whether the webhook was there to compare them with. */
  | { readonly kind: "same"; readonly loaded: Envelope; readonly verified: boolean }
  | { readonly kind: "changed"; readonly detail: string }
  | { readonly kind: "gone" };

/** Whether an event is still what was received: by the hash of the exact bytes, and by its own data. */
export async function checkPayload(
  services: Services,
  envelope: Envelope,
  payloadHash: string,
): Promise<PayloadCheck> {
  const webhook = await findWebhook(services.tables.inbox, envelope.tenantid, envelope.correlationid);
  const bytes = webhook && (await storedBytes(services, webhook));
  if (webhook === undefined || bytes === undefined) {
    const travelled = envelope.dataref === undefined;
    return travelled ? { kind: "same", loaded: envelope, verified: false } : { kind: "gone" };
  }
  if (hashOf(bytes) !== payloadHash) {
    return { kind: "changed", detail: "The stored webhook does not have the hash it had when it came in." };
  }
  const data = await readAgain(services, { ...webhook, body: bytes });
  if (envelope.dataref !== undefined) {
    return data === undefined
      ? { kind: "gone" }
      : { kind: "same", loaded: { ...envelope, data }, verified: true };
  }
  return canonicalJson(data) === canonicalJson(envelope.data)
    ? { kind: "same", loaded: envelope, verified: true }
    : { kind: "changed", detail: "The event's data are not those of the stored webhook." };
}

/** The exact bytes of a webhook; undefined where their blob is gone. */
export async function storedBytes(
  services: Services,
  webhook: StoredWebhook,
): Promise<Uint8Array | undefined> {
  try {
    return await readBody(services.rawBodies, webhook);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function readAgain(services: Services, webhook: StoredWebhook): Promise<unknown> {
  try {
    return await readStored(services.rawBodies, webhook);
  } catch (error) {
    if (error instanceof PayloadProblem || error instanceof UnsupportedContentType) return undefined;
    throw error;
  }
}
