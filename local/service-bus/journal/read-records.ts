import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

import { decodeRecord, recordBytes, type Decoded } from "./record.ts";

/** Read at a time; a journal may be larger than any one buffer can be. */
const windowBytes = 16 * 1024 * 1024;

/** The whole records of a journal; returns how many bytes at its end are none. */
export function* readRecords(path: string): Generator<Decoded, number> {
  if (!existsSync(path)) return 0;
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    let start = 0;
    let wanted = windowBytes;
    while (start < size) {
      const window = readWindow(descriptor, start, Math.min(wanted, size - start));
      let at = 0;
      for (let next = decodeRecord(window, at); next; next = decodeRecord(window, at)) {
        yield next;
        at = next.end;
      }
      start += at;
      wanted = Math.max(windowBytes, recordBytes(window, at));
      const torn = at === 0 && (wanted <= window.length || start + window.length >= size);
      if (torn) break;
    }
    return size - start;
  } finally {
    closeSync(descriptor);
  }
}

function readWindow(descriptor: number, start: number, length: number): Buffer {
  const window = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(descriptor, window, filled, length - filled, start + filled);
    if (read === 0) break;
    filled += read;
  }
  return window.subarray(0, filled);
}
