import { openSync, closeSync, readFileSync, readSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

import type { RuntimeStatus } from "./history.ts";
import type { Instance } from "./instance.ts";

/** What memory keeps of an instance that rests: enough to list it and to find the rest. */
export interface RestingEntry {
  readonly id: string;
  readonly kind: Instance["kind"];
  readonly name: string;
  readonly status: RuntimeStatus;
  readonly createdTime: number;
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

type IndexRow = [
  id: string,
  kind: Instance["kind"],
  name: string,
  status: RuntimeStatus,
  createdTime: number,
  offset: number,
  length: number,
];

interface Segment {
  readonly fd: number;
  readonly total: number;
  /** What the files still hold but the archive no longer does. */
  readonly dead: Set<string>;
}

/**
 * Finished orchestrations and idle entities, out of memory but within reach: segments that are written once
 * (`archive-N.jsonl`, with `archive-N.index` beside), and dropped when most of what they hold is gone.
 */
export class Archive {
  readonly #dir: string;
  readonly #entries = new Map<string, RestingEntry>();
  readonly #segments = new Map<number, Segment>();
  /** Taken into the archive but not on disk yet. */
  readonly #unwritten = new Map<string, Instance>();

  constructor(dir: string, segments: readonly number[]) {
    this.#dir = dir;
    for (const segment of segments) this.#load(segment);
  }

  entries(): Iterable<RestingEntry> {
    return this.#entries.values();
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  get size(): number {
    return this.#entries.size;
  }

  segments(): number[] {
    return [...this.#segments.keys()];
  }

  read(id: string): Instance | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    const unwritten = this.#unwritten.get(id);
    if (unwritten !== undefined) return structuredClone(unwritten);
    const segment = this.#segments.get(entry.segment);
    if (segment === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(entry.length);
    readSync(segment.fd, bytes, 0, entry.length, entry.offset);
    return JSON.parse(bytes.toString("utf8")) as Instance;
  }

  forget(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#unwritten.delete(id);
    this.#segments.get(entry.segment)?.dead.add(id);
  }

  /** Ids that the segments still hold and that nothing newer stands for: whoever reads them must be told. */
  forgotten(): string[] {
    const dead = [...this.#segments.values()].flatMap((segment) => [...segment.dead]);
    return [...new Set(dead)].filter((id) => !this.#entries.has(id));
  }

  /**
   * Takes instances in, together with what is left in segments that are mostly dead. They can be read at once;
   * `written` resolves when they are on disk, and `dropped` names the segments that are then of no use.
   */
  add(number: number, instances: readonly Instance[]): { written: Promise<void>; dropped: number[] } {
    const dropped = [...this.#segments]
      .filter(([, { dead, total }]) => dead.size * 2 > total)
      .map(([key]) => key);
    const moved = [...this.#entries.values()].filter(({ segment }) => dropped.includes(segment));
    const all = [...instances, ...moved.flatMap(({ id }) => this.read(id) ?? [])];
    if (all.length === 0) return { written: Promise.resolve(), dropped };
    let offset = 0;
    const lines: string[] = [];
    const rows: string[] = [];
    for (const instance of all) {
      const line = `${JSON.stringify(instance)}\n`;
      const length = Buffer.byteLength(line);
      const row = indexRow(instance, offset, length);
      this.#entries.set(instance.id, entryOf(row, number));
      this.#unwritten.set(instance.id, instance);
      lines.push(line);
      rows.push(`${JSON.stringify(row)}\n`);
      offset += length;
    }
    return { written: this.#write(number, lines, rows, all), dropped };
  }

  drop(segments: readonly number[]): void {
    for (const number of segments) {
      const segment = this.#segments.get(number);
      this.#segments.delete(number);
      if (segment !== undefined) closeSync(segment.fd);
      for (const name of fileNames(number)) rmSync(join(this.#dir, name), { force: true });
    }
  }

  close(): void {
    for (const { fd } of this.#segments.values()) closeSync(fd);
    this.#segments.clear();
  }

  async #write(number: number, lines: string[], rows: string[], instances: Instance[]): Promise<void> {
    const [data, index] = fileNames(number);
    await writeDurably(join(this.#dir, data), lines.join(""));
    await writeDurably(join(this.#dir, index), rows.join(""));
    const gone = instances.filter(({ id }) => this.#entries.get(id)?.segment !== number);
    const dead = new Set(gone.map(({ id }) => id));
    this.#segments.set(number, { fd: openSync(join(this.#dir, data), "r"), total: lines.length, dead });
    for (const { id } of instances) this.#unwritten.delete(id);
  }

  #load(number: number): void {
    const [data, index] = fileNames(number);
    const lines = readFileSync(join(this.#dir, index), "utf8").split("\n").filter(Boolean);
    const fd = openSync(join(this.#dir, data), "r");
    this.#segments.set(number, { fd, total: lines.length, dead: new Set() });
    // Names and states recur in every row: one copy of each is enough.
    const known = new Map<string, string>();
    const interned = (text: string): string => {
      const held = known.get(text);
      if (held !== undefined) return held;
      known.set(text, text);
      return text;
    };
    for (const line of lines) {
      const row = JSON.parse(line) as IndexRow;
      row[2] = interned(row[2]);
      const entry = entryOf(row, number);
      this.forget(entry.id);
      this.#entries.set(entry.id, entry);
    }
  }
}

function indexRow(instance: Instance, offset: number, length: number): IndexRow {
  const name = instance.kind === "entity" ? (instance.id.split("@")[1] ?? "") : instance.name;
  const status = instance.kind === "entity" ? "Running" : instance.status;
  return [instance.id, instance.kind, name, status, instance.createdTime, offset, length];
}

function entryOf(
  [id, kind, name, status, createdTime, offset, length]: IndexRow,
  segment: number,
): RestingEntry {
  return { id, kind, name, status, createdTime, offset, length, segment };
}

export function fileNames(segment: number): [data: string, index: string] {
  return [`archive-${segment}.jsonl`, `archive-${segment}.index`];
}

export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}
