import type { Clock } from "../../clock.ts";

export interface DueTimer {
  readonly instanceId: string;
  readonly key: string;
  readonly fireAt: number;
}

/** Durable timers in the order they fall due, on one timer of the clock. */
export class TimerQueue {
  readonly #clock: Clock;
  readonly #onDue: (timers: readonly DueTimer[]) => void;
  /** A timer whose orchestration moved on stays here until it is due, or until there are too many of them. */
  readonly #isWanted: (timer: DueTimer) => boolean;
  #heap: DueTimer[] = [];
  #sweepAt = 1024;
  #stopped = false;
  #armed: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(
    clock: Clock,
    isWanted: (timer: DueTimer) => boolean,
    onDue: (timers: readonly DueTimer[]) => void,
  ) {
    this.#clock = clock;
    this.#isWanted = isWanted;
    this.#onDue = onDue;
  }

  add(timer: DueTimer): void {
    if (this.#stopped) return;
    if (this.#heap.length >= this.#sweepAt) this.#sweep();
    this.#heap.push(timer);
    this.#rise(this.#heap.length - 1);
    this.#arm();
  }

  /** Whatever is added from now on is for whoever opens the hub next. */
  stop(): void {
    this.#stopped = true;
    this.#armed?.cancel();
    this.#armed = undefined;
    this.#heap = [];
  }

  #arm(): void {
    const next = this.#heap[0];
    if (next === undefined || (this.#armed !== undefined && this.#armed.at <= next.fireAt)) return;
    this.#armed?.cancel();
    // What is due already waits for nothing, not even for a clock that stands still.
    if (next.fireAt <= this.#clock.now()) return this.#fire();
    this.#armed = { at: next.fireAt, cancel: this.#clock.at(next.fireAt, () => this.#fire()) };
  }

  #fire(): void {
    this.#armed = undefined;
    const due: DueTimer[] = [];
    for (
      let first = this.#heap[0];
      first !== undefined && first.fireAt <= this.#clock.now();
      first = this.#heap[0]
    ) {
      this.#removeFirst();
      if (this.#isWanted(first)) due.push(first);
    }
    if (due.length > 0) this.#onDue(due);
    this.#arm();
  }

  #sweep(): void {
    const wanted = this.#heap.filter(this.#isWanted);
    this.#heap = wanted.toSorted((a, b) => a.fireAt - b.fireAt);
    this.#sweepAt = Math.max(1024, 2 * wanted.length);
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const above = (at - 1) >> 1;
      if (!this.#swapIfEarlier(at, above)) return;
      at = above;
    }
  }

  #sink(from: number): void {
    for (let at = from; ;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const rightEarlier = (this.#heap[right]?.fireAt ?? Infinity) < (this.#heap[left]?.fireAt ?? Infinity);
      const earlier = rightEarlier ? right : left;
      if (!this.#swapIfEarlier(earlier, at)) return;
      at = earlier;
    }
  }

  /** Exchanges the two when the one further down is due before the one above. */
  #swapIfEarlier(below: number, above: number): boolean {
    const one = this.#heap[below];
    const other = this.#heap[above];
    if (one === undefined || other === undefined || one.fireAt >= other.fireAt) return false;
    this.#heap[below] = other;
    this.#heap[above] = one;
    return true;
  }
}
