import { intervalUs, type Rate } from "./gcra.ts";

/** More at once saves no further writes worth speaking of. */
const largestBlock = 25;

/** A block is at most what grows in a quarter of a second: slow buckets are debited token by token. */
const blocksPerMinute = 240;

/**
 * Tokens a host has taken from the shared bucket beyond what it needed, to spend without asking again. A busy host
 * takes larger blocks, a quiet one single tokens, so that what is forfeited when it goes stale stays small.
 *
 * A held token may be spent up to one block's time after it was debited. The shared bucket is therefore kept one
 * block smaller than its burst (`sharedRate`), which makes the promise of the rate hold for what is spent as well.
 */
export class HeldTokens {
  readonly sharedRate: Rate;
  readonly #largest: number;
  readonly #staysUs: number;
  #count = 0;
  #untilUs = 0;
  #block = 1;

  constructor(rate: Rate) {
    const fitting = Math.min(largestBlock, rate.limitPerMinute / blocksPerMinute, rate.burst / 4);
    this.#largest = Math.max(1, Math.floor(fitting));
    const kept = this.#largest === 1 ? 0 : this.#largest;
    this.#staysUs = kept * intervalUs(rate);
    this.sharedRate = { ...rate, burst: rate.burst - kept };
  }

  /** Takes up to `wanted` of what is held. */
  spend(wanted: number, nowUs: number): number {
    if (nowUs > this.#untilUs) this.#count = 0;
    const spent = Math.min(wanted, this.#count);
    this.#count -= spent;
    return spent;
  }

  /** How many to debit for somebody who wants so many now: the more, the sooner it comes after the last time. */
  worthDebiting(wanted: number, nowUs: number): number {
    this.#block = nowUs > this.#untilUs ? 1 : Math.min(this.#largest, this.#block * 2);
    return Math.max(wanted, this.#block);
  }

  /** Keeps what was debited and not wanted. What was held before has been spent by then. */
  hold(count: number, nowUs: number): void {
    this.#count = count;
    this.#untilUs = nowUs + this.#staysUs;
  }
}
