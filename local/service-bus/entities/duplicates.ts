import { Deque } from "./deque.ts";

/** The message ids seen within a window of time. */
export class Duplicates {
  readonly #windowMs: number;
  readonly #order = new Deque<{ readonly id: string; readonly at: number }>();
  readonly #seen = new Map<string, number>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Remembers an id; false when it was already there. */
  add(id: string, now: number): boolean {
    this.#forgetBefore(now - this.#windowMs);
    if (this.#seen.has(id)) return false;
    this.#seen.set(id, now);
    this.#order.push({ id, at: now });
    return true;
  }

  entries(): Iterable<readonly [id: string, at: number]> {
    return this.#seen;
  }

  #forgetBefore(time: number): void {
    for (let oldest = this.#order.peek(); oldest && oldest.at <= time; oldest = this.#order.peek()) {
      this.#order.shift();
      this.#seen.delete(oldest.id);
    }
  }
}
