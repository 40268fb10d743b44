import type { BusError } from "../errors.ts";
import * as encode from "../codec/encode.ts";

/** Bytes a transfer frame needs besides its payload and tag, generously. */
export const transferOverhead = 64;

const accepted = Buffer.from([0x00, 0x53, 0x24, 0x45]);

/** A disposition that settles deliveries `first` to `last`: accepted, or rejected with the error. */
export function dispositionFrame(
  channel: number,
  asReceiver: boolean,
  first: number,
  last: number,
  error: BusError | undefined,
): Buffer {
  const state = error ? rejected(error) : accepted;
  const fields = [
    encode.boolean(asReceiver),
    encode.uint(first),
    encode.uint(last),
    encode.boolean(true),
    state,
  ];
  return frame(channel, encode.described(0x15n, encode.list(fields)));
}

function rejected({ condition, message }: BusError): Buffer {
  const error = encode.described(0x1dn, encode.list([encode.symbol(condition), encode.string(message)]));
  return encode.described(0x25n, encode.list([error]));
}

function frame(channel: number, performative: Buffer): Buffer {
  const head = Buffer.allocUnsafe(8);
  head.writeUInt32BE(8 + performative.length, 0);
  head.writeUInt16BE(0x02_00, 4);
  head.writeUInt16BE(channel, 6);
  return Buffer.concat([head, performative]);
}

export interface TransferFields {
  readonly channel: number;
  readonly handle: number;
  readonly deliveryId: number;
  readonly tag: Buffer;
  readonly settled: boolean;
}

/**
 * A transfer frame, written straight into one buffer: this is the server's hottest path, and building the fields as
 * objects first costs more than everything else about a delivery.
 */
export function transferFrame(fields: TransferFields, more: boolean, payload: readonly Buffer[]): Buffer {
  const { channel, handle, deliveryId, tag, settled } = fields;
  const length = payload.reduce((sum, part) => sum + part.length, 0);
  const buffer = Buffer.allocUnsafe(transferOverhead + tag.length + length);
  buffer.writeUInt16BE(0x02_00, 4);
  buffer.writeUInt16BE(channel, 6);
  buffer.writeUInt32BE(0x00_53_14_c0, 8);
  let at = 14;
  at = writeUint(buffer, at, handle);
  at = writeUint(buffer, at, deliveryId);
  buffer[at++] = 0xa0;
  buffer[at++] = tag.length;
  at += tag.copy(buffer, at);
  buffer[at++] = 0x43;
  buffer[at++] = settled ? 0x41 : 0x42;
  buffer[at++] = more ? 0x41 : 0x42;
  buffer[12] = at - 13;
  buffer[13] = 6;
  for (const part of payload) at += part.copy(buffer, at);
  buffer.writeUInt32BE(at, 0);
  return buffer.subarray(0, at);
}

function writeUint(buffer: Buffer, at: number, value: number): number {
  if (value < 256) {
    buffer[at] = 0x52;
    buffer[at + 1] = value;
    return at + 2;
  }
  buffer[at] = 0x70;
  return buffer.writeUInt32BE(value, at + 1);
}
