/**
 * Collects what is recorded during one turn of the event loop and makes it safe with one write; only then are those
 * told who wait for it. If the write fails nobody is told: it is tried again, and clients see a slow server.
 */
export class GroupCommit {
  readonly #write: (chunks: readonly Buffer[]) => void;
  readonly #log: (line: string) => void;
  #chunks: Buffer[] = [];
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Immediate | NodeJS.Timeout | undefined;
  #failing = false;

  constructor(write: (chunks: readonly Buffer[]) => void, log: (line: string) => void) {
    this.#write = write;
    this.#log = log;
  }

  append(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#schedule();
  }

  commit(done: () => void): void {
    this.#waiting.push(done);
    this.#schedule();
  }

  /** Writes now; true when nothing is left to write. */
  flush(): boolean {
    if (this.#chunks.length > 0 && !this.#tryWrite()) return false;
    const ready = this.#waiting;
    this.#waiting = [];
    for (const done of ready) this.#run(done);
    return true;
  }

  #schedule(): void {
    this.#timer ??= setImmediate(() => {
      this.#timer = undefined;
      this.flush();
    });
  }

  #tryWrite(): boolean {
    try {
      const chunks = this.#chunks;
      this.#write(chunks);
      this.#chunks = [];
      this.#failing = false;
      return true;
    } catch (error) {
      if (!this.#failing) this.#log(`The journal cannot be written, acknowledgements wait: ${String(error)}`);
      this.#failing = true;
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.flush();
      }, 100);
      return false;
    }
  }

  #run(done: () => void): void {
    try {
      done();
    } catch (error) {
      this.#log(`An acknowledgement failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
