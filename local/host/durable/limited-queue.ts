/** Works through items in the order they come, at most `limit` at a time. `work` deals with its own failures. */
export class LimitedQueue<Item> {
  readonly #limit: number;
  readonly #work: (item: Item) => Promise<void>;
  #waiting: Item[] = [];
  #next = 0;
  #running = 0;
  #paused = true;
  #idle: (() => void)[] = [];

  constructor(limit: number, work: (item: Item) => Promise<void>) {
    this.#limit = limit;
    this.#work = work;
  }

  get isIdle(): boolean {
    return this.#running === 0 && (this.#paused || this.#next === this.#waiting.length);
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#pump();
  }

  open(): void {
    this.#paused = false;
    this.#pump();
  }

  /** Begins nothing more; resolves when what was begun has ended. */
  async close(): Promise<void> {
    this.#paused = true;
    while (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    while (!this.#paused && this.#running < this.#limit && this.#next < this.#waiting.length) {
      const item = this.#waiting[this.#next] as Item;
      this.#next += 1;
      if (this.#next > 1024 && this.#next * 2 > this.#waiting.length) {
        this.#waiting = this.#waiting.slice(this.#next);
        this.#next = 0;
      }
      this.#running += 1;
      void this.#work(item).finally(() => {
        this.#running -= 1;
        this.#pump();
        if (this.#running === 0) for (const wake of this.#idle.splice(0)) wake();
      });
    }
  }
}
