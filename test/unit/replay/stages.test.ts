import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { countOf, type Outcome, outcomeNames, outcomes } from "../../../shared/replay/outcomes.ts";
import {
  decide,
  firstStage,
  nextChunk,
  pauseMs,
  type Stage,
  type StageSettings,
  stageSize,
} from "../../../shared/replay/stages.ts";

const settings: StageSettings = {
  stages: [1, 2, 5],
  stopAboveFailureRatio: 0.5,
  ratePerMinute: 6000,
};

const anySettings = fc.record({
  stages: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 }),
  stopAboveFailureRatio: fc.double({ min: 0, max: 1, noNaN: true }),
  ratePerMinute: fc.integer({ min: 1, max: 6000 }),
});

interface Walked {
  readonly chunks: readonly { readonly stage: number; readonly size: number }[];
  readonly ran: readonly Outcome[];
  readonly stopped: boolean;
}

/** A whole replay, as the orchestrator goes through it. */
function walk(all: readonly Outcome[], by: StageSettings): Walked {
  const chunks: { stage: number; size: number }[] = [];
  let stage: Stage = firstStage;
  let reached = 0;
  while (reached < all.length) {
    const size = nextChunk(stage, all.length - reached, by);
    const counts = countOf(all.slice(reached, reached + size));
    chunks.push({ stage: stage.index, size });
    reached += size;
    const decision = decide(stage, counts, size, all.length - reached, by);
    if (decision.kind === "stop") return { chunks, ran: all.slice(0, reached), stopped: true };
    ({ stage } = decision);
  }
  return { chunks, ran: all, stopped: false };
}

describe("the stages of a replay", () => {
  test("are as large as they are said to be, and the last repeats", () => {
    expect([0, 1, 2, 3, 9].map((index) => stageSize(settings.stages, index))).toEqual([1, 2, 5, 5, 5]);
  });

  test("go on while they go well", () => {
    const { chunks, stopped } = walk(Array<Outcome>(12).fill("done"), settings);
    expect(stopped).toBe(false);
    expect(chunks.map(({ size }) => size)).toEqual([1, 2, 5, 4]);
  });

  test("stop after the first item where that fails", () => {
    expect(walk(["parked", "done", "done"], settings)).toMatchObject({ stopped: true, ran: ["parked"] });
  });

  test("stop only above the ratio, not at it", () => {
    expect(walk(["done", "done", "parked", "done"], settings).stopped).toBe(false);
    expect(walk(["done", "parked", "parked", "done"], settings).stopped).toBe(true);
  });

  test("count what is found done before as fine, and what was left alone not at all", () => {
    expect(walk(["done", "deduplicated", "parked", "done"], settings).stopped).toBe(false);
    expect(walk(["done", "skipped", "parked", "done"], settings).stopped).toBe(true);
    expect(walk(["skipped", "postponed", "held", "done"], settings).stopped).toBe(false);
  });

  test("stop within a stage as soon as the rest of it could not change that", () => {
    const slow = { ...settings, stages: [10], ratePerMinute: 12 };
    const { ran } = walk(Array<Outcome>(10).fill("parked"), slow);
    expect(ran).toHaveLength(6);
  });

  test("never stop where all may fail, and at the first failure where none may", () => {
    const fails = Array<Outcome>(20).fill("quarantined");
    expect(walk(fails, { ...settings, stopAboveFailureRatio: 1 }).stopped).toBe(false);
    const last: Outcome[] = [...Array<Outcome>(19).fill("done"), "retrying"];
    expect(walk(last, { ...settings, stopAboveFailureRatio: 0 }).stopped).toBe(true);
  });

  test("reach every item once, in chunks no larger than their stage or the rate allow", () => {
    const items = fc.array(fc.constantFrom(...outcomeNames), { maxLength: 200 });
    fc.assert(
      fc.property(items, anySettings, (all, by) => {
        const { chunks, ran, stopped } = walk(all, by);
        expect(ran).toEqual(all.slice(0, ran.length));
        expect(stopped || ran.length === all.length).toBe(true);
        const perStage = new Map<number, number>();
        for (const { stage, size } of chunks) {
          expect(size).toBeGreaterThan(0);
          expect(size).toBeLessThanOrEqual(Math.max(1, Math.floor(by.ratePerMinute / 12)));
          perStage.set(stage, (perStage.get(stage) ?? 0) + size);
        }
        for (const [stage, size] of perStage) {
          expect(size).toBeLessThanOrEqual(stageSize(by.stages, stage));
        }
      }),
    );
  });

  test("never go on after one of which more failed than may", () => {
    const items = fc.array(fc.constantFrom<Outcome>("done", "parked", "skipped"), { maxLength: 100 });
    fc.assert(
      fc.property(items, anySettings, (all, by) => {
        const { ran, stopped } = walk(all, by);
        let from = 0;
        for (let index = 0; from < ran.length; index++) {
          const stage = ran.slice(from, from + stageSize(by.stages, index));
          const failed = stage.filter((outcome) => outcomes[outcome].counts === "failed").length;
          const settled = stage.filter((outcome) => outcomes[outcome].counts !== "open").length;
          from += stage.length;
          const mayStop = stopped && from === ran.length;
          expect(mayStop || failed <= settled * by.stopAboveFailureRatio).toBe(true);
        }
      }),
    );
  });

  test("keep to the rate, whatever the size of the chunks", () => {
    fc.assert(
      fc.property(anySettings, fc.integer({ min: 1, max: 20 }), (by, ran) => {
        expect((ran * 60_000) / pauseMs(ran, by)).toBeLessThanOrEqual(by.ratePerMinute);
      }),
    );
  });
});
