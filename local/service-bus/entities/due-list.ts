import { Heap } from "./heap.ts";

interface Entry<T> {
  readonly time: number;
  readonly item: T;
}

/**
 * Things to do at a time. Whatever is settled earlier is only counted as stale, and the list is rebuilt when half of
 * it is: its size follows what is alive, never what has passed through.
 */
export class DueList<T> {
  readonly #heap = new Heap<Entry<T>>((entry) => entry.time);
  readonly #isLive: (item: T, time: number) => boolean;
  #stale = 0;

  constructor(isLive: (item: T, time: number) => boolean) {
    this.#isLive = isLive;
  }

  add(time: number, item: T): void {
    if (time !== Infinity) this.#heap.push({ time, item });
  }

  /** Notes that one entry is no longer live. */
  forget(): void {
    this.#stale++;
    if (this.#stale < 1024 || this.#stale * 2 < this.#heap.size) return;
    this.#heap.keep(({ item, time }) => this.#isLive(item, time));
    this.#stale = 0;
  }

  /** Takes the next live item that is due. */
  takeDue(now: number): T | undefined {
    for (let entry = this.#heap.peek(); entry && entry.time <= now; entry = this.#heap.peek()) {
      this.#heap.pop();
      if (this.#isLive(entry.item, entry.time)) return entry.item;
      this.#stale = Math.max(0, this.#stale - 1);
    }
    return undefined;
  }

  /** When to look again; never too late, possibly too early. */
  next(): number {
    return this.#heap.peek()?.time ?? Infinity;
  }
}
