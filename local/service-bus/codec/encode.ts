/** Encoders for the AMQP 1.0 types the server writes. Each returns the whole encoding, constructor included. */
import { Described, type AmqpValue } from "./decode.ts";

export const nothing: Buffer = Buffer.from([0x40]);
const yes = Buffer.from([0x41]);
const no = Buffer.from([0x42]);
const emptyList = Buffer.from([0x45]);

export const boolean = (value: boolean): Buffer => (value ? yes : no);

export function uint(value: number): Buffer {
  if (value === 0) return Buffer.from([0x43]);
  return value < 256 ? Buffer.from([0x52, value]) : numeric(0x70, 4, (b) => b.writeUInt32BE(value, 1));
}

export function ulong(value: bigint): Buffer {
  return value < 256n && value > 0n
    ? Buffer.from([0x53, Number(value)])
    : numeric(0x80, 8, (b) => b.writeBigUInt64BE(value, 1));
}

export const int = (value: number): Buffer => numeric(0x71, 4, (b) => b.writeInt32BE(value, 1));

export const long = (value: number | bigint): Buffer =>
  numeric(0x81, 8, (b) => b.writeBigInt64BE(BigInt(value), 1));

export const double = (value: number): Buffer => numeric(0x82, 8, (b) => b.writeDoubleBE(value, 1));

export const timestamp = (milliseconds: number): Buffer =>
  numeric(0x83, 8, (b) => b.writeBigInt64BE(BigInt(Math.trunc(milliseconds)), 1));

export const uuid = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x98]), Buffer.from(text.replaceAll("-", ""), "hex")]);

export const string = (text: string): Buffer => variable(0xa1, Buffer.from(text, "utf8"));
export const symbol = (text: string): Buffer => variable(0xa3, Buffer.from(text, "latin1"));
export const binary = (bytes: Buffer): Buffer => variable(0xa0, bytes);

export function list(items: readonly Buffer[]): Buffer {
  return items.length === 0 ? emptyList : compound(0xd0, items.length, Buffer.concat(items));
}

/** A map from entries already encoded: key, value, key, value. */
export const mapOf = (encoded: readonly Buffer[]): Buffer =>
  compound(0xd1, encoded.length, Buffer.concat(encoded));

export const map = (entries: Readonly<Record<string, Buffer>>): Buffer =>
  mapOf(Object.entries(entries).flatMap(([key, value]) => [string(key), value]));

/** An array: the constructor is written once, so it is taken off each element's own encoding. */
export function array(code: number, elements: readonly Buffer[]): Buffer {
  const bodies = elements.map((element) => element.subarray(1));
  return compound(0xf0, elements.length, Buffer.concat([Buffer.from([code]), ...bodies]));
}

export const described = (descriptor: bigint, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x00]), ulong(descriptor), value]);

/** Encodes a decoded value again: integers become int or long, everything else keeps its kind. */
export function encodeValue(value: AmqpValue): Buffer {
  if (value === null) return nothing;
  if (typeof value === "boolean") return boolean(value);
  if (typeof value === "string") return string(value);
  if (typeof value === "bigint") return long(BigInt.asIntN(64, value));
  if (typeof value === "number") return encodeNumber(value);
  if (value instanceof Date) return timestamp(value.getTime());
  if (value instanceof Described) {
    return Buffer.concat([Buffer.from([0x00]), encodeValue(value.descriptor), encodeValue(value.value)]);
  }
  if (Buffer.isBuffer(value)) return binary(value);
  if (value instanceof Map) {
    return mapOf(
      [...value].flatMap(([key, entry]: [string, AmqpValue]) => [string(key), encodeValue(entry)]),
    );
  }
  return Array.isArray(value) ? list(value.map((item: AmqpValue) => encodeValue(item))) : nothing;
}

function encodeNumber(value: number): Buffer {
  if (!Number.isInteger(value)) return double(value);
  return value === Math.trunc(value) && Math.abs(value) < 2 ** 31
    ? int(value)
    : Number.isSafeInteger(value)
      ? long(value)
      : double(value);
}

function numeric(code: number, width: number, write: (buffer: Buffer) => void): Buffer {
  const buffer = Buffer.allocUnsafe(1 + width);
  buffer[0] = code;
  write(buffer);
  return buffer;
}

function variable(shortCode: number, bytes: Buffer): Buffer {
  const short = bytes.length < 256;
  const head = short
    ? Buffer.from([shortCode, bytes.length])
    : numeric(shortCode + 0x10, 4, (b) => b.writeUInt32BE(bytes.length, 1));
  return Buffer.concat([head, bytes]);
}

function compound(code: number, count: number, content: Buffer): Buffer {
  const head = Buffer.allocUnsafe(9);
  head[0] = code;
  head.writeUInt32BE(content.length + 4, 1);
  head.writeUInt32BE(count, 5);
  return Buffer.concat([head, content]);
}
