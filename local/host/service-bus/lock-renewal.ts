/** Renewing more often than this helps no handler and keeps the server busy. */
const leastPauseMs = 500;

/**
 * Renews a lock at half-time until the answer is called or `maxMs` have passed. The client library can do
 * so too, but goes on after the handler has ended when nobody settles the message.
 */
export function keepLocked(
  lockedUntil: Date | undefined,
  maxMs: number,
  renew: () => Promise<Date>,
  onError: (error: unknown) => void,
): () => void {
  const end = Date.now() + maxMs;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  // A message settled while its renewal was under way has no lock left to lose.
  const fail = (error: unknown): void => {
    if (!stopped) onError(error);
  };
  const plan = (until: Date): void => {
    const pauseMs = Math.max(leastPauseMs, (until.getTime() - Date.now()) / 2);
    if (stopped || Date.now() + pauseMs >= end) return;
    timer = setTimeout(() => void renew().then(plan, fail), pauseMs);
  };
  if (lockedUntil !== undefined) plan(lockedUntil);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
