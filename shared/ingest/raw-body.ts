import type { ContainerClient } from "@azure/storage-blob";

import type { Envelope } from "../envelope/envelope.ts";
import { inlineLimitBytes, type StoredWebhook } from "../ledgers/inbox.ts";
import { readPayload } from "../sources/read-payload.ts";
import type { HeaderReader } from "../sources/source.ts";

/** A message and its properties must fit into 256 KB; the work item adds a little to the event. */
const travelLimitBytes = 160 * 1024;
/** A byte of a form may become an escape of six characters, and `1e20` a number of 21 digits. */
const mostGrowth = 6;

/** Puts the bytes where they fit: into the row, or into a blob that the row names and that what cannot travel needs. */
export async function placeBody(
  container: () => Promise<ContainerClient>,
  envelope: Envelope,
  body: Uint8Array,
  data: unknown,
): Promise<Pick<StoredWebhook, "body" | "bodyRef">> {
  if (body.byteLength <= inlineLimitBytes && canTravel(data, body.byteLength)) return { body };
  const { tenantid, receivedat, id, payloadhash } = envelope;
  // Named by its content too: whoever uses the id of another delivery must not replace what that one brought.
  const bodyRef = `${tenantid}/${receivedat.slice(0, 10)}/${id}-${payloadhash}`;
  const blob = (await container()).getBlockBlobClient(bodyRef);
  await blob.uploadData(Buffer.from(body), { maxSingleShotSize: 32 * 1024 * 1024 });
  return { bodyRef };
}

export async function readBody(
  container: () => Promise<ContainerClient>,
  stored: Pick<StoredWebhook, "body" | "bodyRef">,
): Promise<Uint8Array> {
  if (stored.body !== undefined) return stored.body;
  if (stored.bodyRef === undefined) return new Uint8Array();
  return (await container()).getBlockBlobClient(stored.bodyRef).downloadToBuffer();
}

/** The envelope with its data, or with the name of the blob that holds them where they are too large to travel. */
export function withData(
  envelope: Envelope,
  data: unknown,
  size: number,
  bodyRef: string | undefined,
): Envelope {
  return bodyRef !== undefined && !canTravel(data, size)
    ? { ...envelope, dataref: bodyRef }
    : { ...envelope, data };
}

/** Whether the data, written as JSON again, fit into a message. Most are too small for it to be worth measuring. */
function canTravel(data: unknown, size: number): boolean {
  if (size * mostGrowth <= travelLimitBytes) return true;
  return Buffer.byteLength(JSON.stringify(data) ?? "") <= travelLimitBytes;
}

/** The data of a stored webhook, made of its bytes. */
export async function readStored(
  container: () => Promise<ContainerClient>,
  stored: StoredWebhook,
): Promise<unknown> {
  const headers = headerReader({ ...stored.headers, "content-type": stored.contentType });
  return readPayload({ headers, body: await readBody(container, stored) });
}

function headerReader(headers: Readonly<Record<string, string>>): HeaderReader {
  return { get: (name) => headers[name.toLowerCase()] ?? null };
}
