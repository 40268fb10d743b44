import type { Effect } from "../ledgers/effects.ts";
import type { Failure } from "../ledgers/failures.ts";
import type { TimelineEntry } from "../ledgers/timeline.ts";
import type { FailureState } from "../machines/failure.ts";

/** Where an event is on one route, in a word. */
export const progressStates = {
  SKIPPED: "The route matched and did not run.",
  QUEUED: "It is on the queue.",
  WAITING: "It waits in the backlog.",
  RUNNING: "An attempt is under way, or was when its host died.",
  DONE: "The side effect happened.",
  DEDUPE_HIT: "The side effect had happened before.",
  STALE: "A newer event of the same object had been applied.",
  RETRYING: "An attempt failed and the next is due.",
  DEAD_LETTERED: "It is parked until a person looks at it.",
  QUARANTINED: "Its data cannot be used as they are.",
  READY_TO_REPLAY: "A person wants it done again.",
  DISCARDED: "A person decided to let it be.",
} as const;

export type ProgressState = keyof typeof progressStates;

export interface Evidence {
  /** The steps of this route, in their order. */
  readonly steps: readonly TimelineEntry[];
  readonly effect: Effect | undefined;
  readonly failure: Pick<Failure, "state"> | undefined;
  readonly inBacklog: boolean;
  readonly correlationId: string;
}

const byFailure: Readonly<Record<FailureState, ProgressState | undefined>> = {
  Retrying: "RETRYING",
  Parked: "DEAD_LETTERED",
  Quarantined: "QUARANTINED",
  ReadyToReplay: "READY_TO_REPLAY",
  Discarded: "DISCARDED",
  // What came after it says more.
  Resolved: undefined,
};

const byStep: Readonly<Record<string, ProgressState>> = {
  skipped: "SKIPPED",
  executed: "DONE",
  deduplicated: "DEDUPE_HIT",
  stale: "STALE",
};

/** An open failure says most, then what the timeline ended with, then the ledger: it may belong to another event. */
export function progressOf({ steps, effect, failure, inBacklog, correlationId }: Evidence): ProgressState {
  const failed = failure && byFailure[failure.state];
  if (failed !== undefined) return failed === "RETRYING" && inBacklog ? "WAITING" : failed;
  const ended = steps.findLast(({ kind }) => Object.hasOwn(byStep, kind));
  const state = ended && byStep[ended.kind];
  if (state !== undefined) return state;
  if (inBacklog) return "WAITING";
  const isOurs = effect?.correlationId === correlationId;
  if (isOurs && effect.state === "done") return "DONE";
  return isOurs && effect.state === "claimed" ? "RUNNING" : "QUEUED";
}
