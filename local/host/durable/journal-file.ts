import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";

import { StartError } from "../../start-error.ts";

/**
 * One commit a line: a checksum in eight hex digits, a space, JSON. A line that is not whole was never acknowledged.
 */
export function journalLine(json: string): string {
  return `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`;
}

interface JournalContents {
  readonly records: unknown[];
  /** Up to where the file can be trusted; what follows is a write that a crash cut off. */
  readonly validBytes: number;
}

export function readJournal(path: string): JournalContents {
  const file = readFileSync(path);
  const records: unknown[] = [];
  let start = 0;
  while (start < file.length) {
    const end = file.indexOf(10, start);
    const json = end === -1 ? undefined : checkedLine(file.subarray(start, end));
    if (json === undefined) break;
    records.push(JSON.parse(json));
    start = end + 1;
  }
  if (hasWholeLine(file, start)) {
    throw new StartError(
      `The task hub's journal is damaged at byte ${start}: restore ${path} from a copy, or remove its folder to start empty`,
    );
  }
  return { records, validBytes: start };
}

function checkedLine(line: Buffer): string | undefined {
  if (line.length < 10 || line[8] !== 32) return undefined;
  const json = line.subarray(9);
  return crc32(json) === Number.parseInt(line.toString("latin1", 0, 8), 16)
    ? json.toString("utf8")
    : undefined;
}

/** A torn write is the last thing in the file; whole lines behind it mean that something else went wrong. */
function hasWholeLine(file: Buffer, from: number): boolean {
  for (let start = file.indexOf(10, from) + 1; start > 0; start = file.indexOf(10, start) + 1) {
    const end = file.indexOf(10, start);
    if (end !== -1 && checkedLine(file.subarray(start, end)) !== undefined) return true;
  }
  return false;
}
