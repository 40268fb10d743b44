/** How often something may happen: evenly `limitPerMinute`, and up to `burst` at once after a quiet time. */
export interface Rate {
  readonly limitPerMinute: number;
  readonly burst: number;
}

export interface Grant {
  readonly granted: number;
  /** The bucket afterwards. */
  readonly fullAtUs: number;
}

/** Microseconds a token takes to grow. A whole number, rounded up: a bucket errs on the slow side and never drifts. */
export function intervalUs({ limitPerMinute }: Rate): number {
  return Math.ceil(60_000_000 / limitPerMinute);
}

/**
 * The generic cell rate algorithm: a bucket is one number, the moment at which it will be full again. In any stretch
 * of time it lets at most `limitPerMinute * minutes + burst` through.
 */
export function grant(fullAtUs: number, rate: Rate, nowUs: number, wanted: number): Grant {
  const interval = intervalUs(rate);
  const from = Math.max(fullAtUs, nowUs);
  const room = Math.floor((nowUs - from) / interval + rate.burst);
  const granted = Math.max(0, Math.min(wanted, room));
  return { granted, fullAtUs: granted === 0 ? fullAtUs : from + granted * interval };
}

/** Microseconds until there is a token again. */
export function waitUs(fullAtUs: number, rate: Rate, nowUs: number): number {
  return Math.max(0, fullAtUs - nowUs - (rate.burst - 1) * intervalUs(rate));
}
