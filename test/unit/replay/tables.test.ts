import { describe, expect, test } from "vitest";

import { nextAction } from "../../../shared/failures/next-action.ts";
import { failureClasses, type FailureClass } from "../../../shared/failures/classes.ts";
import { failureMachine, type FailureState } from "../../../shared/machines/failure.ts";
import { readReplayRequest } from "../../../shared/replay/read-request.ts";
import { newReplay } from "../../../shared/replay/request-schema.ts";
import { replayDefaults } from "../../../shared/replay/selector.ts";
import { isOver, replayMachine } from "../../../shared/replay/states.ts";
import { gravest, outcomeNames, outcomeOfStatus } from "../../../shared/replay/outcomes.ts";
import { leading, verdictNames } from "../../../shared/replay/verdicts.ts";
import { workStatuses } from "../../../shared/work/work-item.ts";

describe("the tables of replays", () => {
  test("every status of work is an outcome", () => {
    expect(Object.keys(outcomeOfStatus).toSorted()).toEqual(workStatuses.toSorted());
  });

  test("of several verdicts and outcomes the first in the table speaks for all", () => {
    expect(leading(["filtered", "dedupe-hit", "would-run"], "unmatched")).toBe("would-run");
    expect(leading([], "unmatched")).toBe("unmatched");
    expect(gravest(["done", "parked", "retrying"])).toBe("parked");
    for (const name of verdictNames) expect(leading([name], "gone")).toBe(name);
    for (const name of outcomeNames) expect(gravest([name])).toBe(name);
  });

  test("a replay ends in the states that lead nowhere, and every state but the first is reached", () => {
    const states = Object.keys(replayMachine.states) as (keyof typeof replayMachine.states)[];
    expect(states.filter(isOver)).toEqual(["Completed", "Stopped", "Cancelled"]);
    const reached = new Set(states.flatMap((state) => replayMachine.states[state].next));
    expect(states.filter((state) => !reached.has(state))).toEqual(["Pending"]);
  });

  test("every failure says what to do next, whatever its state and class", () => {
    for (const state of Object.keys(failureMachine.states) as FailureState[]) {
      for (const classification of Object.keys(failureClasses) as FailureClass[]) {
        const said = nextAction({ state, classification, code: "HTTP_400", routeName: "r" });
        expect(said, `${state} ${classification}`).toMatch(/^[A-Z][^]+\.$/);
      }
    }
  });

  test("the classes a replay can select by are all there are", () => {
    const { classification } = newReplay.properties.failures.properties;
    expect(classification.enum.toSorted()).toEqual(Object.keys(failureClasses).toSorted());
  });
});

describe("what is asked of a replay", () => {
  const now = new Date("2026-11-18T12:00:00Z");
  const id = "0".repeat(32);

  test("is a dry run of the defaults unless it says otherwise", () => {
    const { dryRun, settings } = readReplayRequest({ failures: {} }, now);
    expect(dryRun).toBe(true);
    expect(settings).toEqual(replayDefaults);
    expect(readReplayRequest({ failures: {}, dryRun: false, config: "pinned" }, now)).toMatchObject({
      dryRun: false,
      settings: { config: "pinned" },
    });
  });

  test("names each id once, events so that they are done in the order they were named", () => {
    const other = "1".repeat(32);
    expect(readReplayRequest({ failureIds: [id, id] }, now).selector).toEqual({ failureIds: [id] });
    expect(readReplayRequest({ events: { eventIds: [id, other] } }, now).selector).toEqual({
      events: { eventIds: [other, id] },
    });
  });

  test("does not reach back beyond what any key can say", () => {
    const { selector } = readReplayRequest({ failures: { from: "0001-01-01T00:00:00Z" } }, now);
    expect(selector).toEqual({ failures: { from: "1970-01-01T00:00:00.000Z" } });
  });
});
