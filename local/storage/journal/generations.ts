import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

import { journalLine, readLines } from "./lines.ts";

const batchBytes = 256 * 1024;

export interface GenerationOptions {
  readonly folder: string;
  /** Everything there is, as commits (in JSON) that make it from nothing. Read bit by bit while changes go on. */
  readonly image: () => Iterable<string>;
}

/**
 * Changes in append-only files, which are made shorter from time to time without anybody having to wait:
 *
 *   base.1 + journal.1          a base is the state at some moment, its journal every change since it was begun
 *   base.1 + journal.1 + .2     base.2 is being written: new changes go to the next journal from its first line on
 *   base.2 + journal.2          it is whole and has its name: what came before goes
 *
 * A change may be in the base and in the journal beside it. It is applied again then, in the order of the journal, whose
 * last change to anything has the last word.
 */
export class Generations {
  readonly #options: GenerationOptions;
  #generation = 1;
  #journal = -1;
  #journalBytes = 0;
  #rotating: Promise<void> | undefined;
  #closing = false;

  constructor(options: GenerationOptions) {
    this.#options = options;
  }

  /** Hands over every commit there is, and is ready for more. */
  open(take: (commit: unknown) => void): void {
    const { folder } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const numbersOf = (kind: string): number[] =>
      readdirSync(folder)
        .flatMap((name) => (name.startsWith(`${kind}.`) ? [Number(name.slice(kind.length + 1))] : []))
        .filter((number) => Number.isInteger(number))
        .toSorted((a, b) => a - b);
    const base = numbersOf("base").at(-1);
    if (base !== undefined) readLines(this.#path("base", base), take, "whole");
    for (const number of numbersOf("journal").filter((each) => each >= (base ?? 0))) {
      const path = this.#path("journal", number);
      const trusted = readLines(path, take);
      truncateSync(path, trusted);
      this.#generation = number;
      this.#journalBytes = trusted;
    }
    this.#generation = Math.max(this.#generation, base ?? 1);
    this.#journal = openSync(this.#path("journal", this.#generation), "a", 0o600);
    this.#forgetBefore(base ?? 0);
  }

  /** On its way to the disk when it returns: it outlives the process, not the power. */
  append(json: string): void {
    const line = journalLine(json);
    try {
      for (let written = 0; written < line.length;) written += writeSync(this.#journal, line, written);
    } catch (error) {
      ftruncateSync(this.#journal, this.#journalBytes);
      throw error;
    }
    this.#journalBytes += line.length;
  }

  /** Makes the files as short as they can be, in the background, unless that is being done. */
  rotate(): void {
    if (this.#rotating !== undefined || this.#closing) return;
    const next = openSync(this.#path("journal", this.#generation + 1), "a", 0o600);
    closeSync(this.#journal);
    this.#journal = next;
    this.#generation++;
    this.#journalBytes = 0;
    this.#rotating = this.#writeBase(this.#generation)
      // The files it was to replace are all there still, and the next attempt is not far.
      .catch((error: unknown) =>
        console.error(`${this.#options.folder} stays as long as it is: ${String(error)}`),
      )
      .finally(() => {
        this.#rotating = undefined;
      });
  }

  /** Resolves when no base is being written. */
  async settled(): Promise<void> {
    await this.#rotating;
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.settled();
    closeSync(this.#journal);
  }

  async #writeBase(generation: number): Promise<void> {
    const unfinished = join(this.#options.folder, "base.new");
    const handle = await open(unfinished, "w", 0o600);
    try {
      await writeAll(handle, this.#options.image(), () => this.#closing);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    if (this.#closing) return;
    renameSync(unfinished, this.#path("base", generation));
    this.#forgetBefore(generation);
  }

  #forgetBefore(generation: number): void {
    for (const name of readdirSync(this.#options.folder)) {
      const number = Number(/^(?:base|journal)\.(\d+)$/.exec(name)?.[1] ?? Number.NaN);
      if (number < generation || name === "base.new") rmSync(join(this.#options.folder, name));
    }
  }

  #path(kind: "base" | "journal", generation: number): string {
    return join(this.#options.folder, `${kind}.${generation}`);
  }
}

/** In portions, between which others have their turn. */
async function writeAll(handle: FileHandle, image: Iterable<string>, isOver: () => boolean): Promise<void> {
  let portion: Buffer[] = [];
  let bytes = 0;
  for (const json of image) {
    const line = journalLine(json);
    portion.push(line);
    bytes += line.length;
    if (bytes < batchBytes) continue;
    if (isOver()) return;
    await handle.writev(portion);
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) await handle.writev(portion);
}
