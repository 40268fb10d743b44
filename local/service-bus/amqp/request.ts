import { decode, type AmqpMap, type AmqpValue } from "../codec/decode.ts";
import * as encode from "../codec/encode.ts";
import { MalformedEncoding } from "../codec/scan.ts";
import { rawElements, section, splitSections } from "../codec/sections.ts";
import type { BusError } from "../errors.ts";

/** A request on a `$cbs` or `$management` link. */
export interface Request {
  /** The encoded message id, to be sent back as it came. */
  readonly id: Buffer;
  readonly replyTo: string;
  readonly properties: AmqpMap;
  readonly body: AmqpValue;
}

export interface Reply {
  readonly status: number;
  readonly description: string;
  /** Present when the request failed; clients derive the kind of error from it. */
  readonly condition?: string;
  /** An encoded value. */
  readonly body?: Buffer;
}

const replyToField = 4;
const empty: AmqpMap = new Map();

export function readRequest(payload: Buffer): Request {
  const sections = splitSections(payload);
  const valueOf = (code: number): AmqpValue => {
    const found = sections.find((part) => part.code === code);
    return found ? decode(payload, found.value, found.end) : null;
  };
  const properties = sections.find((part) => part.code === section.properties);
  const fields = properties ? rawElements(payload, properties.value) : [];
  const replyTo = fields[replyToField] ? decode(fields[replyToField]) : null;
  if (!fields[0] || typeof replyTo !== "string")
    throw new MalformedEncoding("a request has no id or no reply address");
  return {
    id: fields[0],
    replyTo,
    properties: asMap(valueOf(section.applicationProperties)),
    body: valueOf(section.value),
  };
}

export const asMap = (value: AmqpValue | undefined): AmqpMap => (value instanceof Map ? value : empty);

/** Both spellings of the status are sent, because clients differ in which they read. */
export function encodeReply(id: Buffer, { status, description, condition, body }: Reply): Buffer {
  const properties = encode.list([...Array.from({ length: 5 }, () => encode.nothing), id]);
  const answer = encode.map({
    statusCode: encode.int(status),
    "status-code": encode.int(status),
    statusDescription: encode.string(description),
    "status-description": encode.string(description),
    ...(condition === undefined
      ? {}
      : { errorCondition: encode.symbol(condition), "error-condition": encode.symbol(condition) }),
  });
  return Buffer.concat([
    encode.described(BigInt(section.properties), properties),
    encode.described(BigInt(section.applicationProperties), answer),
    encode.described(BigInt(section.value), body ?? encode.nothing),
  ]);
}

export const failure = ({ status, condition, message }: BusError): Reply => ({
  status,
  condition,
  description: message,
});
