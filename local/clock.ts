/**
 * Time for everything in the local stack that waits: durable timers, schedules and retries, locks and times to live.
 * Tests put a `ManualClock` in its place and let a day pass in milliseconds.
 */
export interface Clock {
  now(): number;
  /** Runs `task` once `now()` has reached `time`; the answer cancels it. */
  at(time: number, task: () => void): () => void;
}

/** setTimeout takes at most this many milliseconds; a longer wait is made of several. */
const longestWait = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, task) {
    let handle: NodeJS.Timeout;
    // Node may call back up to a millisecond early, so the time is looked at again.
    const wait = (): void => {
      const left = time - Date.now();
      if (left <= 0) task();
      else arm(left);
    };
    // What waits does not keep a process alive that has nothing else to do.
    const arm = (left: number): void => {
      handle = setTimeout(wait, Math.max(0, Math.min(left, longestWait))).unref();
    };
    arm(time - Date.now());
    return () => clearTimeout(handle);
  },
};

interface Waiting {
  readonly time: number;
  readonly task: () => void;
}

/** A clock that stands still until it is told to move. */
export class ManualClock implements Clock {
  #now: number;
  #waiting: Waiting[] = [];

  constructor(start: Date | number = Date.UTC(2026, 0, 1)) {
    this.#now = Number(start);
  }

  now(): number {
    return this.#now;
  }

  at(time: number, task: () => void): () => void {
    const entry = { time, task };
    // Stable order for equal times: first come, first called.
    const place = this.#waiting.findIndex((other) => other.time > time);
    this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  /** Moves time on, calling in order whatever falls due on the way. */
  advance(milliseconds: number): void {
    const target = this.#now + milliseconds;
    for (let next = this.#takeDue(target); next !== undefined; next = this.#takeDue(target)) next.task();
    this.#now = target;
  }

  /** The same, letting the work that each moment sets off come to rest before the next one. */
  async advanceSettling(milliseconds: number, settle: () => Promise<void>): Promise<void> {
    const target = this.#now + milliseconds;
    await settle();
    for (let next = this.#takeDue(target); next !== undefined; next = this.#takeDue(target)) {
      next.task();
      await settle();
    }
    this.#now = target;
  }

  #takeDue(target: number): Waiting | undefined {
    const next = this.#waiting[0];
    if (next === undefined || next.time > target) return undefined;
    this.#waiting.shift();
    this.#now = Math.max(this.#now, next.time);
    return next;
  }
}
