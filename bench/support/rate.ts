import { type Latencies, latenciesOf } from "./latencies.ts";

export interface Rate extends Latencies {
  readonly count: number;
  readonly perSecond: number;
}

/** Does `work` for so many seconds, `width` at a time, each lane one after the other. */
export async function rateAt(width: number, seconds: number, work: () => Promise<unknown>): Promise<Rate> {
  const took: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  const lane = async (): Promise<void> => {
    for (let from = performance.now(); from < until;) {
      await work();
      const now = performance.now();
      took.push(now - from);
      from = now;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  const perSecond = (took.length * 1000) / (performance.now() - started);
  return { count: took.length, perSecond, ...latenciesOf(took) };
}
