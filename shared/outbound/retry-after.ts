const daySeconds = 86_400;

/** Smaller numbers are seconds to wait, larger ones are a moment since 1970. */
const epochFrom = 1_000_000_000;

type Headers = Readonly<Record<string, string>>;

/** Seconds to wait by a `Retry-After`: seconds, with or without a fraction, or an HTTP date. At most a day. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return clamped(Number(text));
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const date = Date.parse(/(GMT|UTC)$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : clamped((date - now.getTime()) / 1000);
}

/**
 * How long a vendor asks to be left alone: `Retry-After`, else the end of its rate window as GitHub
 * (`x-ratelimit-reset`), GitLab and the IETF draft (`ratelimit-reset`) put it.
 */
export function retryAfterOf(headers: Headers, now: Date): number | undefined {
  const asked = parseRetryAfter(headers["retry-after"], now);
  if (asked !== undefined) return asked;
  const reset = headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"] ?? "";
  if (!/^\d+(\.\d+)?$/.test(reset)) return undefined;
  const seconds = Number(reset);
  return clamped(seconds < epochFrom ? seconds : seconds - now.getTime() / 1000);
}

/** Whether the vendor says that the rate window is used up. */
export function isWindowUsedUp(headers: Headers): boolean {
  return (headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"])?.trim() === "0";
}

function clamped(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 0), daySeconds);
}
