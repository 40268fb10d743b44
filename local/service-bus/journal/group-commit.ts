/** How long a write that failed waits before it is tried again. */
const retryMs = 100;

/**
 * Collects what is recorded during one turn of the event loop and makes it safe with one write; only then are those
 * told who wait for it. If the write fails nobody is told: it is tried again, and clients see a slow server.
 */
export class GroupCommit {
  readonly #write: (chunks: readonly Buffer[]) => void;
  readonly #log: (line: string) => void;
  #chunks: Buffer[] = [];
  #waiting: (() => void)[] = [];
  #scheduled = false;
  #failing = false;
  #ended = false;

  constructor(write: (chunks: readonly Buffer[]) => void, log: (line: string) => void) {
    this.#write = write;
    this.#log = log;
  }

  /** Writes what is left and takes nothing more: the file may be somebody else's from now on. */
  end(): void {
    this.flush();
    this.#ended = true;
    this.#chunks = [];
  }

  append(chunk: Buffer): void {
    if (this.#ended) return;
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
    for (const done of ready) this.#tell(done);
    return true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
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
      if (!this.#scheduled) setTimeout(() => this.#run(), retryMs);
      this.#scheduled = true;
      return false;
    }
  }

  #run(): void {
    this.#scheduled = false;
    this.flush();
  }

  #tell(done: () => void): void {
    try {
      done();
    } catch (error) {
      this.#log(`An acknowledgement failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
