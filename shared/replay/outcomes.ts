import type { WorkStatus } from "../work/work-item.ts";

interface Row {
  readonly says: string;
  /** Whether a stage goes better or worse by it; what is `open` says nothing about either. */
  readonly counts: "fine" | "failed" | "open";
}

/** What became of an item of a replay. Of several pieces of work the first outcome in this order speaks for all. */
export const outcomes = {
  error: { says: "Interlock itself failed at it; it went back to where it was.", counts: "failed" },
  quarantined: { says: "It failed again: its data cannot be used.", counts: "failed" },
  parked: { says: "It failed again and was parked.", counts: "failed" },
  retrying: { says: "It failed again; the next attempt is due.", counts: "failed" },
  held: { says: "Its route was paused or disabled meanwhile; it waits in the backlog.", counts: "open" },
  postponed: { says: "It waits on the queue for its turn.", counts: "open" },
  done: { says: "The side effect happened.", counts: "fine" },
  published: { says: "The webhook was read again and published.", counts: "fine" },
  deduplicated: { says: "The side effect had happened before.", counts: "fine" },
  stale: { says: "A newer event of the object had been applied.", counts: "fine" },
  skipped: { says: "It was left where it was; the verdict says why.", counts: "open" },
} as const satisfies Record<string, Row>;

export type Outcome = keyof typeof outcomes;
export type Counts = Readonly<Partial<Record<Outcome, number>>>;

export const outcomeNames = Object.keys(outcomes).filter(isOutcome);

export function isOutcome(text: string): text is Outcome {
  return Object.hasOwn(outcomes, text);
}

/** The one that speaks for all. */
export function gravest(found: readonly Outcome[]): Outcome {
  return outcomeNames.find((outcome) => found.includes(outcome)) ?? "skipped";
}

export const outcomeOfStatus: Readonly<Record<WorkStatus, Outcome>> = {
  DONE: "done",
  DEDUPE_HIT: "deduplicated",
  STALE: "stale",
  RETRYING: "retrying",
  RATE_LIMITED: "postponed",
  BUSY: "postponed",
  HELD: "held",
  DEAD_LETTERED: "parked",
  QUARANTINED: "quarantined",
};

export function plus(left: Counts, right: Counts): Counts {
  const sums = outcomeNames.map((name) => [name, (left[name] ?? 0) + (right[name] ?? 0)] as const);
  return Object.fromEntries(sums.filter(([, count]) => count > 0));
}

export function countOf(found: readonly Outcome[]): Counts {
  return found.reduce<Counts>((counts, outcome) => plus(counts, { [outcome]: 1 }), {});
}

export function countsAs(counts: Counts, kind: Row["counts"]): number {
  return outcomeNames
    .filter((name) => outcomes[name].counts === kind)
    .reduce((sum, name) => sum + (counts[name] ?? 0), 0);
}
