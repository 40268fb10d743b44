import { describe, expect, test } from "vitest";

import { type Evidence, progressOf } from "../../../shared/events/route-progress.ts";
import type { Effect } from "../../../shared/ledgers/effects.ts";
import type { FailureState } from "../../../shared/machines/failure.ts";

const at = "2026-11-18T09:00:00.000Z";

function evidence(kinds: readonly string[], changes: Partial<Evidence> = {}): Evidence {
  return {
    steps: kinds.map((kind) => ({ at, kind })),
    effect: undefined,
    failure: undefined,
    inBacklog: false,
    correlationId: "ours",
    ...changes,
  };
}

function effectIn(state: Effect["state"], correlationId = "ours"): Effect {
  return {
    state,
    correlationId,
    routeName: "r",
    objectId: "1",
    payloadHash: "",
    attempt: 1,
    createdAt: new Date(at),
    mayHaveHappened: false,
    leaseUntil: new Date(at),
  };
}

describe("where an event is on a route", () => {
  test.each<[string, Evidence, string]>([
    ["nothing is known yet", evidence([]), "QUEUED"],
    ["it is in the backlog", evidence([], { inBacklog: true }), "WAITING"],
    ["an attempt is under way", evidence([], { effect: effectIn("claimed") }), "RUNNING"],
    ["the ledger has it, and the timeline not yet", evidence([], { effect: effectIn("done") }), "DONE"],
    ["another event has the effect", evidence([], { effect: effectIn("done", "theirs") }), "QUEUED"],
    [
      "it was found done before",
      evidence(["deduplicated"], { effect: effectIn("done", "theirs") }),
      "DEDUPE_HIT",
    ],
    ["it was executed", evidence(["routed", "executed"]), "DONE"],
    ["it was held, and then executed", evidence(["held", "routed", "executed"]), "DONE"],
    ["it was held, and is on the queue again", evidence(["held"]), "QUEUED"],
    ["it was too old", evidence(["stale"]), "STALE"],
    ["it was skipped", evidence(["skipped"]), "SKIPPED"],
  ])("when %s", (_, given, state) => {
    expect(progressOf(given)).toBe(state);
  });

  test.each<[FailureState, string]>([
    ["Retrying", "RETRYING"],
    ["Parked", "DEAD_LETTERED"],
    ["Quarantined", "QUARANTINED"],
    ["ReadyToReplay", "READY_TO_REPLAY"],
    ["Discarded", "DISCARDED"],
    ["Resolved", "DONE"],
  ])("a failure that is %s is %s", (state, expected) => {
    const given = evidence(["failed", "executed"], { failure: { state } });
    expect(progressOf(given)).toBe(expected);
  });

  test("a retry that is held waits", () => {
    expect(
      progressOf(evidence(["failed", "held"], { failure: { state: "Retrying" }, inBacklog: true })),
    ).toBe("WAITING");
  });
});
