import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

import { journalText, readJournal } from "./journal-text.ts";
import { replaceFile, syncFolder, textOf, writeAt, type NewFile } from "./private-file.ts";
import type { Change } from "./secret.ts";
import type { VaultState } from "./vault-state.ts";

/** Where changes go so that they outlive the process. */
export interface ChangeLog {
  record(change: Change): void;
  /** Resolves once everything recorded so far is safe. Nothing may be answered before. */
  durable(): Promise<void>;
  close(): Promise<void>;
}

export const memoryLog: ChangeLog = {
  record: () => {},
  durable: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const smallestRewriteBytes = 1024 * 1024;
const nextRewrite = (size: number): number => Math.max(smallestRewriteBytes, 2 * size);

/**
 * An append-only file: a change costs its own line, however much the vault holds. Changes that come in while the disk
 * is busy share its next turn. The file is rewritten when it has doubled, when it is opened, and when something is
 * purged, because a purged value must not stay readable; each time as a new file, private to its owner, that takes
 * the old one's place.
 */
export class Journal implements ChangeLog {
  readonly #file: string;
  readonly #state: VaultState;
  #handle: FileHandle;
  #size: number;
  #rewriteAt: number;
  #pending: Change[] = [];
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;

  private constructor(file: string, state: VaultState, { handle, size }: NewFile) {
    this.#file = file;
    this.#state = state;
    this.#handle = handle;
    this.#size = size;
    this.#rewriteAt = nextRewrite(size);
  }

  /** Reads what the file holds into `state`, which the journal keeps as the source of later rewrites. */
  static async open(file: string, state: VaultState): Promise<Journal> {
    for (const change of readJournal(file, await textOf(file))) state.apply(change);
    const fresh = await replaceFile(file, journalText(state.image(), true));
    await syncFolder(dirname(file));
    return new Journal(file, state, fresh);
  }

  record(change: Change): void {
    this.#pending.push(change);
  }

  durable(): Promise<void> {
    if (this.#queued || this.#pending.length === 0) return this.#queued ?? this.#running;
    const turn = (): Promise<void> => {
      this.#queued = undefined;
      const purges = this.#pending.some(({ kind }) => kind === "purge");
      this.#running = purges || this.#size > this.#rewriteAt ? this.#rewrite() : this.#append();
      return this.#running;
    };
    this.#queued = this.#running.then(turn, turn);
    return this.#queued;
  }

  async close(): Promise<void> {
    try {
      await this.durable();
    } finally {
      await this.#handle.close();
    }
  }

  /** Always at the known end, so that a write that failed half-way is written over by the next. */
  async #append(): Promise<void> {
    const changes = this.#take();
    try {
      const bytes = Buffer.from(journalText(changes));
      await writeAt(this.#handle, bytes, this.#size);
      this.#size += bytes.length;
    } catch (error) {
      this.#pending = [...changes, ...this.#pending];
      throw error;
    }
  }

  async #rewrite(): Promise<void> {
    const changes = this.#take();
    const old = this.#handle;
    try {
      const { handle, size } = await replaceFile(this.#file, journalText(this.#state.image(), true));
      this.#handle = handle;
      this.#size = size;
      this.#rewriteAt = nextRewrite(size);
    } catch (error) {
      this.#pending = [...changes, ...this.#pending];
      throw error;
    }
    await old.close();
    await syncFolder(dirname(this.#file));
  }

  #take(): Change[] {
    const changes = this.#pending;
    this.#pending = [];
    return changes;
  }
}
