import { parseArgs } from "node:util";

export interface BenchArguments {
  readonly quick: boolean;
  readonly profile: boolean;
  /** Sizes of the inbox to measure at; empty for a new one. */
  readonly stored: readonly number[];
}

/** Of `ingest` and `route`. */
export function readArguments(): BenchArguments {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      stored: { type: "string", default: "" },
    },
    allowPositionals: true,
  });
  const stored = values.stored.split(",").filter((size) => size !== "");
  return { quick: values.quick, profile: values.profile, stored: stored.map(Number) };
}

export const widths = [1, 16, 64] as const;

/** Before anything is measured. */
export const warmUpAt = (quick: boolean): number => (quick ? 1_000 : 5_000);

/** As many as take some seconds, and no fewer than a p99 needs. */
export function webhooksAt(width: number, quick: boolean): number {
  return (width === 1 ? 2_000 : 20_000) / (quick ? 10 : 1);
}
