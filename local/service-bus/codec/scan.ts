/**
 * Walks the AMQP 1.0 encoding of a value without building it. Everything a peer sends passes through here first: a
 * decoder that trusts the counts in a hostile array allocates gigabytes, so sizes must nest and counts must fit.
 */
export class MalformedEncoding extends Error {
  override readonly name = "MalformedEncoding";
}

const deepest = 32;
/** Elements of these arrays take no bytes, so their number is bounded by nothing else. */
const mostEmptyElements = 1024;

/** The offset just after the value that begins at `offset`. */
export function valueEnd(buffer: Buffer, offset: number, limit: number, depth = 0): number {
  if (depth > deepest) throw new MalformedEncoding("values are nested too deeply");
  if (offset >= limit) throw new MalformedEncoding("a value is cut short");
  const code = buffer[offset] ?? 0;
  if (code === 0x00) {
    const described = valueEnd(buffer, offset + 1, limit, depth + 1);
    return valueEnd(buffer, described, limit, depth + 1);
  }
  return bodyEnd(buffer, code, offset + 1, limit, depth);
}

/** Bytes of a value whose size its constructor alone decides; undefined for the variable ones. */
export function fixedWidth(code: number): number | undefined {
  switch (code >> 4) {
    case 0x4:
      return 0;
    case 0x5:
      return 1;
    case 0x6:
      return 2;
    case 0x7:
      return 4;
    case 0x8:
      return 8;
    case 0x9:
      return 16;
    default:
      return undefined;
  }
}

function bodyEnd(buffer: Buffer, code: number, start: number, limit: number, depth: number): number {
  const width = fixedWidth(code);
  if (width !== undefined) return within(start + width, limit);
  const wide = (code & 0x10) !== 0;
  const sizeBytes = wide ? 4 : 1;
  within(start + sizeBytes, limit);
  const size = wide ? buffer.readUInt32BE(start) : buffer.readUInt8(start);
  const end = within(start + sizeBytes + size, limit);
  const kind = code >> 4;
  if (kind === 0xa || kind === 0xb) return end;
  if (kind < 0xc) throw new MalformedEncoding(`0x${code.toString(16)} is no constructor`);

  let at = start + sizeBytes;
  within(at + sizeBytes, end);
  const count = wide ? buffer.readUInt32BE(at) : buffer.readUInt8(at);
  at += sizeBytes;
  const actual =
    kind >= 0xe ? arrayEnd(buffer, at, count, end, depth) : listEnd(buffer, at, count, end, depth);
  if (actual !== end) throw new MalformedEncoding("a compound value is not as long as it says");
  return end;
}

function listEnd(buffer: Buffer, start: number, count: number, end: number, depth: number): number {
  let at = start;
  for (let index = 0; index < count; index++) at = valueEnd(buffer, at, end, depth + 1);
  return at;
}

function arrayEnd(buffer: Buffer, start: number, count: number, end: number, depth: number): number {
  let at = start;
  let code = buffer[within(at, end - 1)] ?? 0;
  at++;
  while (code === 0x00) {
    at = valueEnd(buffer, at, end, depth + 1);
    code = buffer[within(at, end - 1)] ?? 0;
    at++;
  }
  if (fixedWidth(code) === 0 && count > mostEmptyElements)
    throw new MalformedEncoding("an array of nothing is too long");
  for (let index = 0; index < count; index++) at = bodyEnd(buffer, code, at, end, depth + 1);
  return at;
}

function within(offset: number, limit: number): number {
  if (offset > limit) throw new MalformedEncoding("a value is cut short");
  return offset;
}
