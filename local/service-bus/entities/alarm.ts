import type { Clock } from "../../clock.ts";

/** One pending wake-up, always the earliest that was asked for. */
export class Alarm {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #pending: { readonly time: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  wakeAt(time: number): void {
    if (time === Infinity || (this.#pending && this.#pending.time <= time)) return;
    this.cancel();
    const cancel = this.#clock.at(time, () => {
      this.#pending = undefined;
      this.#wake();
    });
    this.#pending = { time, cancel };
  }

  cancel(): void {
    this.#pending?.cancel();
    this.#pending = undefined;
  }
}
