import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";

import { StartError } from "../../start-error.ts";
import { apply } from "./apply-change.ts";
import { Archive, fileNames, writeDurably } from "./archive.ts";
import { type Change, type Instance, isResting } from "./instance.ts";
import { journalLine, readJournal } from "./journal-file.ts";

export interface JournalOptions {
  /**
   * `power`: a commit is on the disk itself before it counts. `process`: it is with the operating system, which
   * survives any end of the process but not of the machine.
   */
  readonly durability?: "power" | "process";
  /** A journal longer than this is replaced by one that holds only what still matters. */
  readonly rotateAtBytes?: number;
  /** Called round every single commit, which then is written alone: the places to crash at in tests. */
  readonly onCommit?: (number: number, moment: "before" | "after") => void;
}

interface Waiting {
  readonly json: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const format = 1;
const defaultRotateAtBytes = 16 * 2 ** 20;

/**
 * The hub on disk: `journal-N.jsonl`, commits in their order, and the archive's segments beside it. Commits that
 * come together are written together. When the journal has grown, a new one begins with the instances that
 * still move, the ones at rest go to the archive, and the old one is removed: each step can be repeated after a crash.
 */
export class Journal {
  readonly archive: Archive;
  readonly #dir: string;
  readonly #instances: Map<string, Instance>;
  readonly #options: JournalOptions;
  #file: FileHandle;
  #number: number;
  #size: number;
  #rotateAt: number;
  #commits = 0;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  /** After a write that failed nobody knows what the file holds, so nothing more is written to it. */
  #broken: unknown;

  private constructor(
    dir: string,
    instances: Map<string, Instance>,
    archive: Archive,
    options: JournalOptions,
    opened: { file: FileHandle; number: number; size: number },
  ) {
    this.#dir = dir;
    this.#instances = instances;
    this.archive = archive;
    this.#options = options;
    this.#file = opened.file;
    this.#number = opened.number;
    this.#size = opened.size;
    this.#rotateAt = options.rotateAtBytes ?? defaultRotateAtBytes;
  }

  /** Reads what is there into `instances`, sets aside what a crash left half done, and is ready to append. */
  static async open(
    dir: string,
    instances: Map<string, Instance>,
    options: JournalOptions,
  ): Promise<Journal> {
    mkdirSync(dir, { recursive: true });
    const newest = newestJournal(dir);
    const number = newest ?? 0;
    const path = journalPath(dir, number);
    if (newest === undefined) await begin(dir, path, [], []);
    const { records, validBytes } = readJournal(path);
    const segments = readHeader(records[0], path);
    const archive = new Archive(dir, segments);
    for (const record of records.slice(1)) {
      for (const change of record as Change[]) {
        apply(instances, change);
        if (change.do === "create" || change.do === "purge") archive.forget(change.id);
        if (change.do === "revive") archive.forget(change.instance.id);
      }
    }
    removeStrays(dir, number, segments);
    const file = await open(path, "r+");
    await file.truncate(validBytes);
    return new Journal(dir, instances, archive, options, { file, number, size: validBytes });
  }

  append(changes: readonly Change[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) return reject(this.#broken);
      this.#waiting.push({ json: JSON.stringify(changes), resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#file.close();
    this.archive.close();
  }

  async #flush(): Promise<void> {
    // What is committed in the same turn of the event loop goes to disk together.
    await new Promise(setImmediate);
    let batch: Waiting[] = [];
    try {
      while (this.#waiting.length > 0) {
        batch = this.#options.onCommit === undefined ? this.#waiting.splice(0) : this.#waiting.splice(0, 1);
        await this.#write(batch);
        for (const { resolve } of batch) resolve();
        if (this.#size > this.#rotateAt) await this.#rotate();
      }
    } catch (error) {
      this.#broken = error;
      for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error);
    } finally {
      this.#flushing = undefined;
    }
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { onCommit, durability = "power" } = this.#options;
    this.#commits += 1;
    onCommit?.(this.#commits, "before");
    const bytes = Buffer.from(batch.map(({ json }) => journalLine(json)).join(""));
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#size + done);
      done += bytesWritten;
    }
    this.#size += bytes.length;
    if (durability === "power") await this.#file.datasync();
    onCommit?.(this.#commits, "after");
  }

  async #rotate(): Promise<void> {
    // From here to the first await nothing else runs: what the new journal begins with is one moment's state,
    // commits that wait to be written included.
    const covered = this.#waiting.splice(0);
    const resting = [...this.#instances.values()].filter(isResting);
    for (const { id } of resting) this.#instances.delete(id);
    const next = this.#number + 1;
    const { written, dropped } = this.archive.add(next, resting);
    const moving = [...this.#instances.values()].map((instance): string =>
      JSON.stringify([{ do: "revive", instance } satisfies Change]),
    );
    const gone = this.archive.forgotten().map((id): Change => ({ do: "purge", id }));
    try {
      await written;
      const segments = this.archive.segments().filter((segment) => !dropped.includes(segment));
      const path = journalPath(this.#dir, next);
      const size = await begin(this.#dir, path, segments, [JSON.stringify(gone), ...moving]);
      const old = this.#file;
      this.#file = await open(path, "r+");
      this.#size = size;
      this.#rotateAt = Math.max(this.#options.rotateAtBytes ?? defaultRotateAtBytes, 2 * size);
      await old.close();
      rmSync(journalPath(this.#dir, this.#number), { force: true });
      this.#number = next;
      this.archive.drop(dropped);
      for (const { resolve } of covered) resolve();
    } catch (error) {
      for (const { reject } of covered) reject(error);
      throw error;
    }
  }
}

/** A journal appears under its name only when its beginning is whole. */
async function begin(dir: string, path: string, archives: number[], records: string[]): Promise<number> {
  const header = JSON.stringify({ taskHub: format, archives });
  const text = [header, ...records].map(journalLine).join("");
  await writeDurably(`${path}.new`, text);
  await rename(`${path}.new`, path);
  const folder = await open(dir, "r");
  // Some systems cannot sync a folder; there the rename is as durable as they make it.
  await folder.sync().catch(() => {});
  await folder.close();
  return Buffer.byteLength(text);
}

function readHeader(record: unknown, path: string): number[] {
  const header = record as { taskHub?: number; archives?: number[] } | undefined;
  if (header?.taskHub !== format || header.archives === undefined) {
    throw new StartError(`${path} is not a task hub this version can read: remove its folder to start empty`);
  }
  return header.archives;
}

function newestJournal(dir: string): number | undefined {
  const numbers = readdirSync(dir).flatMap((name) => /^journal-(\d+)\.jsonl$/.exec(name)?.[1] ?? []);
  return numbers.length === 0 ? undefined : Math.max(...numbers.map(Number));
}

function removeStrays(dir: string, number: number, segments: readonly number[]): void {
  const keep = new Set([`journal-${number}.jsonl`, ...segments.flatMap(fileNames)]);
  for (const name of readdirSync(dir)) {
    if (/^(journal|archive)-/.test(name) && !keep.has(name)) rmSync(join(dir, name));
  }
}

function journalPath(dir: string, number: number): string {
  return join(dir, `journal-${number}.jsonl`);
}
