import { wordDistance } from "../catalog/distance.ts";

/** The candidate that was probably meant, if one is near enough that suggesting it is no joke. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  for (const candidate of candidates) {
    const distance = wordDistance(word.toLowerCase(), candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
  }
  return best;
}
