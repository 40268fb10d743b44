/** How far a timestamp may be from now, in either direction: what all vendors with one recommend. */
export const defaultToleranceSeconds = 300;

/** Unix seconds, and nothing but digits: what is signed is the text, so there must be one way to write it. */
export function parseTimestamp(text: string): number | undefined {
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

export function isFresh(
  timestampSeconds: number,
  now: Date,
  toleranceSeconds: number = defaultToleranceSeconds,
): boolean {
  return Math.abs(now.getTime() / 1000 - timestampSeconds) <= toleranceSeconds;
}
