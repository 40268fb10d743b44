import type { MessageContent } from "./message-content.ts";

/** What the broker adds to a message; absent fields are not written. */
export interface BrokerFields {
  readonly ttlMs?: number | undefined;
  readonly deliveryCount?: number;
  readonly enqueuedAt?: number;
  readonly sequence?: number;
  readonly enqueuedSequence?: number;
  readonly lockedUntil?: number | undefined;
  /** 0 active, 1 deferred, 2 scheduled. */
  readonly state?: number;
  readonly deadLetterSource?: string | undefined;
}

const largestUint = 0xff_ff_ff_ff;

const key = (name: string): Buffer =>
  Buffer.concat([Buffer.from([0xa3, name.length]), Buffer.from(name, "latin1")]);
const keys = {
  enqueuedAt: key("x-opt-enqueued-time"),
  sequence: key("x-opt-sequence-number"),
  enqueuedSequence: key("x-opt-enqueue-sequence-number"),
  lockedUntil: key("x-opt-locked-until"),
  state: key("x-opt-message-state"),
  deadLetterSource: key("x-opt-deadletter-source"),
};

/** Grown when a sender's annotations need it; one buffer serves every message because encoding never overlaps. */
let scratch = Buffer.allocUnsafe(4096);

/**
 * Header and annotations of a message as delivered; `content.bare` follows them on the wire. The result is valid
 * until the next call: the caller copies it into a frame at once.
 */
export function encodeHead(content: MessageContent, fields: BrokerFields): Buffer {
  const { durable, priority, annotations } = content.head;
  const foreign = annotations.reduce((sum, part) => sum + part.length, 0);
  const room = 512 + durable.length + priority.length + foreign + 4 * (fields.deadLetterSource?.length ?? 0);
  if (scratch.length < room) scratch = Buffer.allocUnsafe(room * 2);
  const end = writeAnnotations(writeHeader(0, content, fields), content, fields);
  return scratch.subarray(0, end);
}

/** The whole message in one buffer of its own. */
export const encodeMessage = (content: MessageContent, fields: BrokerFields): Buffer =>
  Buffer.concat([encodeHead(content, fields), content.bare]);

function writeHeader(start: number, content: MessageContent, fields: BrokerFields): number {
  const { durable, priority } = content.head;
  let at = start;
  at = bytes(at, 0x00, 0x53, 0x70, 0xc0);
  const sizeAt = at;
  at = bytes(at, 0, 5);
  at += durable.copy(scratch, at);
  at += priority.copy(scratch, at);
  at = fields.ttlMs === undefined || fields.ttlMs > largestUint ? bytes(at, 0x40) : uint(at, fields.ttlMs);
  at = bytes(at, 0x40);
  at = fields.deliveryCount === undefined ? bytes(at, 0x40) : uint(at, fields.deliveryCount);
  scratch[sizeAt] = at - sizeAt - 1;
  return at;
}

function writeAnnotations(start: number, content: MessageContent, fields: BrokerFields): number {
  let at = bytes(start, 0x00, 0x53, 0x72, 0xd1);
  const sizeAt = at;
  at += 8;
  let count = content.head.annotations.length;
  for (const part of content.head.annotations) at += part.copy(scratch, at);
  const number = (name: Buffer, code: number, value: number | undefined): void => {
    if (value === undefined) return;
    at = bigEndian(at + name.copy(scratch, at), code, value);
    count += 2;
  };
  number(keys.enqueuedAt, 0x83, fields.enqueuedAt);
  number(keys.sequence, 0x81, fields.sequence);
  number(keys.enqueuedSequence, 0x81, fields.enqueuedSequence);
  number(keys.lockedUntil, 0x83, fields.lockedUntil);
  if (fields.state !== undefined) {
    at += keys.state.copy(scratch, at);
    at = bytes(at, 0x54, fields.state);
    count += 2;
  }
  if (fields.deadLetterSource !== undefined) {
    at += keys.deadLetterSource.copy(scratch, at);
    const length = scratch.write(fields.deadLetterSource, at + 5, "utf8");
    scratch[at] = 0xb1;
    scratch.writeUInt32BE(length, at + 1);
    at += 5 + length;
    count += 2;
  }
  scratch.writeUInt32BE(at - sizeAt - 4, sizeAt);
  scratch.writeUInt32BE(count, sizeAt + 4);
  return at;
}

function bytes(start: number, ...values: readonly number[]): number {
  let at = start;
  for (const value of values) scratch[at++] = value;
  return at;
}

function uint(at: number, value: number): number {
  if (value < 256) return bytes(at, 0x52, value);
  scratch[at] = 0x70;
  return scratch.writeUInt32BE(value, at + 1);
}

/** Eight bytes of a non-negative integer below 2^53. */
function bigEndian(at: number, code: number, value: number): number {
  scratch[at] = code;
  scratch.writeUInt32BE(Math.floor(value / 0x1_00_00_00_00), at + 1);
  return scratch.writeUInt32BE(value % 0x1_00_00_00_00, at + 5);
}
