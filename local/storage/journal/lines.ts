import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";

import { StartError } from "../../start-error.ts";

const checksumDigits = 8;
const newline = 10;
const chunkBytes = 4 * 1024 * 1024;

/** A checksum in hex, a space, JSON. A line that is not whole was never acknowledged. */
export function journalLine(json: string): Buffer {
  const line = Buffer.from(`${" ".repeat(checksumDigits + 1)}${json}\n`);
  const checksum = crc32(line.subarray(checksumDigits + 1, -1));
  line.write(checksum.toString(16).padStart(checksumDigits, "0"), "latin1");
  return line;
}

/**
 * Hands over what each line says, and answers with how many bytes of the file can be trusted: what follows is a write
 * that a crash cut off, unless the file is known to be whole. It may be larger than a string can be.
 */
export function readLines(path: string, take: (value: unknown) => void, kind?: "whole"): number {
  const file = openSync(path, "r");
  try {
    const size = fstatSync(file).size;
    let trusted = 0;
    for (const line of linesOf(file)) {
      const json = checked(line);
      if (json === undefined) {
        if (trusted + line.length + 1 < size) throw damaged(path, trusted);
        break;
      }
      take(JSON.parse(json));
      trusted += line.length + 1;
    }
    if (kind === "whole" && trusted < size) throw damaged(path, trusted);
    return trusted;
  } finally {
    closeSync(file);
  }
}

/** Whole lines, without their ends; what has no end is no line. */
function* linesOf(file: number): Iterable<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = Buffer.alloc(chunkBytes);
    const read = readSync(file, chunk);
    if (read === 0) return;
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}

function checked(line: Buffer): string | undefined {
  const json = line.subarray(checksumDigits + 1);
  const checksum = Number.parseInt(line.toString("latin1", 0, checksumDigits), 16);
  return crc32(json) === checksum ? json.toString("utf8") : undefined;
}

const damaged = (path: string, at: number): StartError =>
  new StartError(
    `${path} is damaged at byte ${at}: restore it from a copy, or remove its folder to start empty`,
  );
