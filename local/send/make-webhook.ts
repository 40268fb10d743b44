import { occurrenceOf } from "./occurrence.ts";
import type { HeaderValues, Sample, ToSign, Vendor } from "./vendor.ts";

interface Content {
  readonly body: Buffer;
  readonly contentType: string;
}

export interface SignedWebhook {
  readonly headers: HeaderValues;
  readonly body: Buffer;
}

export interface Wanted extends Omit<ToSign, "body"> {
  readonly event: string;
  /** One of the vendor's, or JSON of one's own. */
  readonly content: Sample | Buffer;
  /** Changes one byte after the signature was made. */
  readonly tamper: boolean;
}

/** A webhook as the vendor would send it. */
export function makeWebhook(vendor: Vendor, { event, content, tamper, ...signing }: Wanted): SignedWebhook {
  const { deliveryId } = signing;
  const { body, contentType } = Buffer.isBuffer(content)
    ? { body: content, contentType: "application/json" }
    : written(content, deliveryId);
  const headers = {
    "Content-Type": contentType,
    ...vendor.headers?.(event, deliveryId),
    ...vendor.sign({ ...signing, body }),
  };
  return { headers, body: tamper ? tampered(body) : body };
}

function written({ payload, form }: Sample, deliveryId: string): Content {
  const data = payload(occurrenceOf(deliveryId));
  if (form === undefined) {
    return { body: Buffer.from(JSON.stringify(data)), contentType: "application/json" };
  }
  const fields: [string, string][] =
    form === "fields"
      ? Object.entries(data).map(([name, value]) => [name, String(value)])
      : [["payload", JSON.stringify(data)]];
  const body = Buffer.from(new URLSearchParams(fields).toString());
  return { body, contentType: "application/x-www-form-urlencoded" };
}

/** The first letter of a text, so that JSON stays JSON: what is refused is then refused for its signature. */
function tampered(body: Buffer): Buffer {
  if (body.length === 0) return Buffer.from(" ");
  const found = /(?<=:\s*")[a-z]/i.exec(body.toString("latin1"));
  const at = found?.index ?? body.length >> 1;
  const copy = Buffer.from(body);
  copy.writeUInt8(body.readUInt8(at) ^ 1, at);
  return copy;
}
