import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { countOf, type Outcome, outcomeNames } from "../../../shared/replay/outcomes.ts";
import { readRun, readTask } from "../../../shared/replay/read-task.ts";
import {
  afterCollecting,
  afterReturning,
  afterRunning,
  afterTaking,
  newRun,
  nextTask,
  progressOf,
  type Run,
} from "../../../shared/replay/run.ts";

const settings = { stages: [1, 2, 5, 20], stopAboveFailureRatio: 0.5, ratePerMinute: 600 };

interface World {
  /** By item, numbered from the newest. */
  readonly outcomes: readonly Outcome[];
  /** After how many steps somebody calls it off. */
  readonly cancelAfter: number;
}

interface Story {
  readonly end: Run;
  readonly ran: readonly number[];
  readonly returned: readonly number[];
  readonly steps: number;
}

/** The orchestrator's loop, with steps that only note what they were given. */
function live({ outcomes, cancelAfter }: World): Story {
  const ran: number[] = [];
  const returned: number[] = [];
  let run = newRun("t", "r", settings);
  let steps = 0;
  for (; run.phase !== "end"; steps++) {
    const task = readTask(JSON.parse(JSON.stringify(nextTask(readRun(run)))));
    const cancelled = steps >= cancelAfter;
    const items = range(task.from, task.to);
    switch (run.phase) {
      case "collect": {
        const found = Math.min(100, outcomes.length - run.total);
        const isMore = run.total + found < outcomes.length;
        const after = isMore ? { after: String(run.total + found) } : {};
        run = afterCollecting(run, { found, more: false, cancelled, ...after });
        break;
      }
      case "take":
        run = afterTaking(task, { cancelled });
        break;
      case "run":
        if (!cancelled) ran.push(...items.toReversed());
        run = afterRunning(task, {
          counts: cancelled ? {} : countOf(items.map((number) => outcomes[number] ?? "done")),
          cancelled,
        });
        break;
      case "return":
        returned.push(...items);
        run = afterReturning(task);
    }
  }
  return { end: run, ran, returned, steps };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

describe("the run of a replay", () => {
  test("does every item once, the oldest first, and ends", () => {
    const { end, ran, returned } = live({ outcomes: Array<Outcome>(250).fill("done"), cancelAfter: 1000 });
    expect(ran).toEqual(range(0, 250).toReversed());
    expect(returned).toEqual([]);
    expect(end).toMatchObject({ ending: { state: "Completed" }, counts: { done: 250 } });
  });

  test("of nothing is completed at once", () => {
    const { end, steps } = live({ outcomes: [], cancelAfter: 1000 });
    expect(end.ending).toEqual({ state: "Completed" });
    expect(steps).toBeLessThanOrEqual(3);
  });

  test("whatever happens, each item is either done once or given back once", () => {
    const world = fc.record({
      outcomes: fc.array(fc.constantFrom(...outcomeNames), { maxLength: 300 }),
      cancelAfter: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(world, (each) => {
        const { end, ran, returned, steps } = live(each);
        const found = end.total;
        expect([...ran, ...returned].toSorted((a, b) => a - b)).toEqual(range(0, found));
        expect(end.reached).toBe(ran.length);
        const { total, counts } = progressOf(end);
        expect(total).toBe(found);
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(ran.length);
        const isWhole = ran.length === each.outcomes.length;
        expect(end.ending?.state !== "Completed" || isWhole).toBe(true);
        const { state, reason = "" } = end.ending ?? {};
        expect(/^In stage \d+, \d+ of \d+ failed\.$/.test(reason)).toBe(state === "Stopped");
        expect(steps).toBeLessThan(700);
      }),
    );
  });

  test("carries no payload: its size does not grow with its items", () => {
    const { end } = live({ outcomes: Array<Outcome>(300).fill("done"), cancelAfter: 1000 });
    expect(JSON.stringify(end).length).toBeLessThan(600);
  });
});
