import { fixedWidth, MalformedEncoding, valueEnd } from "./scan.ts";

/** An AMQP value as the server reads it; symbols and uuids are strings, longs beyond 2^53 are bigint. */
export type AmqpValue =
  null | boolean | number | bigint | string | Date | Buffer | Described | readonly AmqpValue[] | AmqpMap;
export type AmqpMap = ReadonlyMap<string, AmqpValue>;

export class Described {
  readonly descriptor: AmqpValue;
  readonly value: AmqpValue;

  constructor(descriptor: AmqpValue, value: AmqpValue) {
    this.descriptor = descriptor;
    this.value = value;
  }
}

/** Decodes the one value that fills `buffer` from `start` to `end`, after checking that it is well formed. */
export function decode(buffer: Buffer, start = 0, end = buffer.length): AmqpValue {
  if (valueEnd(buffer, start, end) !== end) throw new MalformedEncoding("bytes follow the value");
  return new Reader(buffer, start).value();
}

/** Reads encodings that the scanner has found sound; it checks nothing itself. */
class Reader {
  readonly #buffer: Buffer;
  #at: number;

  constructor(buffer: Buffer, at: number) {
    this.#buffer = buffer;
    this.#at = at;
  }

  value(): AmqpValue {
    const code = this.#uint(1);
    if (code !== 0x00) return this.#body(code);
    const descriptor = this.value();
    return new Described(descriptor, this.value());
  }

  #uint(width: 1 | 2 | 4): number {
    const value = this.#buffer.readUIntBE(this.#at, width);
    this.#at += width;
    return value;
  }

  #bytes(length: number): Buffer {
    const slice = this.#buffer.subarray(this.#at, this.#at + length);
    this.#at += length;
    return slice;
  }

  #body(code: number): AmqpValue {
    const width = fixedWidth(code);
    if (width !== undefined) return fixedValue(code, this.#bytes(width));
    const wide = (code & 0x10) !== 0 ? 4 : 1;
    const size = this.#uint(wide);
    switch (code) {
      case 0xa1:
      case 0xb1:
        return this.#bytes(size).toString("utf8");
      case 0xa3:
      case 0xb3:
        return this.#bytes(size).toString("latin1");
      case 0xa0:
      case 0xb0:
        return this.#bytes(size);
      case 0xc0:
      case 0xd0:
        return this.#values(this.#uint(wide));
      case 0xc1:
      case 0xd1:
        return this.#map(this.#uint(wide));
      case 0xe0:
      case 0xf0:
        return this.#array(this.#uint(wide));
      default:
        throw new MalformedEncoding(`0x${code.toString(16)} is no constructor`);
    }
  }

  #values(count: number): AmqpValue[] {
    return Array.from({ length: count }, () => this.value());
  }

  #map(count: number): AmqpMap {
    const map = new Map<string, AmqpValue>();
    for (let index = 0; index + 1 < count; index += 2) {
      const key = this.value();
      map.set(typeof key === "string" ? key : JSON.stringify(key), this.value());
    }
    if (count % 2 === 1) this.value();
    return map;
  }

  #array(count: number): AmqpValue[] {
    const descriptors: AmqpValue[] = [];
    let code = this.#uint(1);
    while (code === 0x00) {
      descriptors.push(this.value());
      code = this.#uint(1);
    }
    return Array.from({ length: count }, () => {
      const value = this.#body(code);
      return descriptors.reduceRight<AmqpValue>(
        (inner, descriptor) => new Described(descriptor, inner),
        value,
      );
    });
  }
}

function fixedValue(code: number, bytes: Buffer): AmqpValue {
  switch (code) {
    case 0x40:
      return null;
    case 0x41:
      return true;
    case 0x42:
      return false;
    case 0x43:
    case 0x44:
      return 0;
    case 0x45:
      return [];
    case 0x50:
    case 0x52:
    case 0x53:
      return bytes.readUInt8();
    case 0x51:
    case 0x54:
    case 0x55:
      return bytes.readInt8();
    case 0x56:
      return bytes.readUInt8() !== 0;
    case 0x60:
      return bytes.readUInt16BE();
    case 0x61:
      return bytes.readInt16BE();
    case 0x70:
      return bytes.readUInt32BE();
    case 0x71:
      return bytes.readInt32BE();
    case 0x72:
      return bytes.readFloatBE();
    case 0x73:
      return codePoint(bytes.readUInt32BE());
    case 0x80:
      return narrow(bytes.readBigUInt64BE());
    case 0x81:
      return narrow(bytes.readBigInt64BE());
    case 0x82:
      return bytes.readDoubleBE();
    case 0x83:
      return new Date(Number(bytes.readBigInt64BE()));
    case 0x98:
      return uuidText(bytes);
    default:
      return bytes;
  }
}

function codePoint(value: number): string {
  if (value > 0x10_ff_ff) throw new MalformedEncoding("a character is out of range");
  return String.fromCodePoint(value);
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export function uuidText(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
