/** How long many of the same took. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function latenciesOf(milliseconds: Iterable<number>): Latencies {
  const sorted = Float64Array.from(milliseconds).toSorted();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
