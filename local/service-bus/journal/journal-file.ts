import { closeSync, fdatasyncSync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";

/** "process": a killed process loses nothing. "power": neither does a machine that loses power, at some cost. */
export type Durability = "process" | "power";

/** An append-only file that can be replaced by a shorter one with the same meaning. */
export class JournalFile {
  readonly #path: string;
  readonly #durability: Durability;
  #descriptor: number;
  size: number;

  constructor(path: string, durability: Durability) {
    this.#path = path;
    this.#durability = durability;
    this.#descriptor = openSync(path, "a");
    this.size = 0;
  }

  /** Appends all of it. After a failure the file is as long as before, so that the same can be tried again. */
  append(chunks: readonly Buffer[]): void {
    const bytes = Buffer.concat(chunks);
    try {
      writeAll(this.#descriptor, bytes);
      if (this.#durability === "power") fdatasyncSync(this.#descriptor);
    } catch (error) {
      ftruncateSync(this.#descriptor, this.size);
      throw error;
    }
    this.size += bytes.length;
  }

  /** Writes a new file beside the old one and puts it in its place; a crash leaves one or the other, whole. */
  replace(chunks: Iterable<Buffer>): void {
    const fresh = `${this.#path}.new`;
    const descriptor = openSync(fresh, "w");
    let size = 0;
    for (const batch of batches(chunks)) {
      writeAll(descriptor, batch);
      size += batch.length;
    }
    if (this.#durability === "power") fdatasyncSync(descriptor);
    renameSync(fresh, this.#path);
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.size = size;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

const batchBytes = 1024 * 1024;

function* batches(chunks: Iterable<Buffer>): Iterable<Buffer> {
  let batch: Buffer[] = [];
  let size = 0;
  for (const chunk of chunks) {
    batch.push(chunk);
    size += chunk.length;
    if (size < batchBytes) continue;
    yield Buffer.concat(batch);
    batch = [];
    size = 0;
  }
  yield Buffer.concat(batch);
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}
