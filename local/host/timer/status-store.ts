import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isObject } from "../config/json-file.ts";

/** When a timer ran and is to run; what a host that starts later compares its clock with. */
export interface ScheduleStatus {
  /** Undefined before the first run. */
  readonly last: number | undefined;
  readonly next: number;
  /** The moment from which `next` was reckoned. */
  readonly lastUpdated: number;
}

export interface StatusStore {
  /** Undefined when there is none, or none that can be read. */
  read(name: string): ScheduleStatus | undefined;
  write(name: string, status: ScheduleStatus): void;
}

/** One file a function; without a folder nothing outlives the host. */
export function createStatusStore(dataDir: string | undefined): StatusStore {
  if (dataDir === undefined) return { read: () => undefined, write: () => {} };
  const folder = join(dataDir, "timers");
  const fileOf = (name: string): string => join(folder, `${encodeURIComponent(name)}.json`);
  return {
    read: (name) => (existsSync(fileOf(name)) ? parse(readFileSync(fileOf(name), "utf8")) : undefined),
    write(name, { last, next, lastUpdated }) {
      mkdirSync(folder, { recursive: true });
      const record = {
        last: last === undefined ? null : iso(last),
        next: iso(next),
        lastUpdated: iso(lastUpdated),
      };
      // A reader sees the old file or the new one, never half of either.
      const temporary = `${fileOf(name)}.${process.pid}.tmp`;
      writeFileSync(temporary, JSON.stringify(record));
      renameSync(temporary, fileOf(name));
    },
  };
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}

function parse(text: string): ScheduleStatus | undefined {
  try {
    const record: unknown = JSON.parse(text);
    if (!isObject(record)) return undefined;
    const last = record["last"] === null ? undefined : timeOf(record["last"]);
    return { last, next: timeOf(record["next"]), lastUpdated: timeOf(record["lastUpdated"]) };
  } catch {
    return undefined;
  }
}

function timeOf(value: unknown): number {
  const read = Date.parse(String(value));
  if (Number.isNaN(read)) throw new TypeError(`${String(value)} is no time`);
  return read;
}
