import type { EffectiveRoute } from "./effective.ts";

/** A vendor that asks for more than a day is asked again after one. */
const longestWaitSeconds = 86_400;

/**
 * How long to wait after this attempt (the first is 1) has failed; undefined when no further one is allowed. What the
 * vendor asked for wins over the profile, and the profile's pause is spread by its jitter.
 */
export function nextWaitSeconds(
  { waitsSeconds, jitter }: Pick<EffectiveRoute, "waitsSeconds" | "jitter">,
  attempt: number,
  retryAfterSeconds: number | undefined,
  random: () => number,
): number | undefined {
  const wait = waitsSeconds[attempt - 1];
  if (wait === undefined) return undefined;
  const asked = retryAfterSeconds !== undefined && retryAfterSeconds >= 0 ? retryAfterSeconds : undefined;
  const seconds = asked ?? wait * (1 + jitter * (2 * random() - 1));
  return Math.min(longestWaitSeconds, Math.max(1, Math.ceil(seconds)));
}
