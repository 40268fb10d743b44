import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Deque } from "../../../local/service-bus/entities/deque.ts";
import { DueList } from "../../../local/service-bus/entities/due-list.ts";
import { Duplicates } from "../../../local/service-bus/entities/duplicates.ts";
import { Heap } from "../../../local/service-bus/entities/heap.ts";
import { ManualClock } from "../../../local/clock.ts";
import { formatDuration, parseDuration } from "../../../local/service-bus/iso-duration.ts";

describe("a heap", () => {
  test("gives its items in order, also after some were dropped", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 5 }), (items, divisor) => {
        const heap = new Heap<number>((item) => item);
        for (const item of items) heap.push(item);
        heap.keep((item) => item % divisor !== 0);
        const taken: number[] = [];
        while (heap.size > 0) taken.push(heap.pop()!);
        expect(taken).toEqual(items.filter((item) => item % divisor !== 0).toSorted((a, b) => a - b));
      }),
    );
  });
});

describe("a deque", () => {
  test("is first in, first out, over many rounds", () => {
    const deque = new Deque<number>();
    let next = 0;
    let expected = 0;
    for (let round = 0; round < 200; round++) {
      for (let n = 0; n < 50; n++) deque.push(next++);
      for (let n = 0; n < 49; n++) expect(deque.shift()).toBe(expected++);
    }
    expect(deque.size).toBe(200);
  });
});

describe("a due list", () => {
  test("does not grow with what passed through it", () => {
    const live = new Set<number>();
    const list = new DueList<number>((item) => live.has(item));
    for (let item = 0; item < 100_000; item++) {
      live.add(item);
      list.add(1_000_000 + item, item);
      live.delete(item);
      list.forget();
    }
    expect(list.next()).toBeGreaterThan(1_000_000 + 90_000);
    expect(list.takeDue(Infinity)).toBeUndefined();
  });
});

describe("duplicate ids", () => {
  test("are known for the window and not longer", () => {
    const duplicates = new Duplicates(100);
    expect(duplicates.add("a", 0)).toBe(true);
    expect(duplicates.add("a", 99)).toBe(false);
    expect(duplicates.add("a", 100)).toBe(true);
    expect([...duplicates.entries()]).toEqual([["a", 100]]);
  });
});

describe("a manual clock", () => {
  test("runs what is due in order, at its own time", () => {
    const clock = new ManualClock(0);
    const ran: (readonly [string, number])[] = [];
    clock.at(20, () => ran.push(["second", clock.now()]));
    clock.at(10, () => {
      ran.push(["first", clock.now()]);
      clock.at(15, () => ran.push(["added", clock.now()]));
    });
    const cancel = clock.at(12, () => ran.push(["never", clock.now()]));
    cancel();
    clock.advance(30);
    expect(ran).toEqual([
      ["first", 10],
      ["added", 15],
      ["second", 20],
    ]);
    expect(clock.now()).toBe(30);
  });
});

describe("ISO durations", () => {
  test.each([
    ["PT1M", 60_000],
    ["PT30S", 30_000],
    ["P1D", 86_400_000],
    ["P14DT1H2M3.5S", 1_213_323_500],
    ["P10675199DT2H48M5.4775807S", Infinity],
  ])("%s is %s ms, and back", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test.each(["", "P", "PT", "1M", "PT1X", "PT-1S"])("'%s' is none", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
