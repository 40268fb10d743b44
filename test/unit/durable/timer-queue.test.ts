import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ManualClock } from "../../../local/clock.ts";
import { type DueTimer, TimerQueue } from "../../../local/host/durable/timer-queue.ts";

const settled = (): Promise<void> => Promise.resolve();

function timer(key: string, fireAt: number): DueTimer {
  return { instanceId: "i", key, fireAt };
}

describe("the queue of durable timers", () => {
  test("lets timers fall due in the order of their times, whatever order they came in", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 100 }), async (times) => {
        const clock = new ManualClock(0);
        const fired: [number, number][] = [];
        const queue = new TimerQueue(
          clock,
          () => true,
          (due) => due.forEach(({ fireAt }) => fired.push([fireAt, clock.now()])),
        );
        times.forEach((time, n) => queue.add(timer(String(n), time)));
        await clock.advanceSettling(50, settled);
        expect(fired).toEqual(times.toSorted((a, b) => a - b).map((time) => [time, time]));
      }),
    );
  });

  test("does not wait for time to pass with what is due already", () => {
    const fired: string[] = [];
    const queue = new TimerQueue(
      new ManualClock(100),
      () => true,
      (due) => fired.push(...due.map(({ key }) => key)),
    );
    queue.add(timer("later", 200));
    queue.add(timer("now", 100));
    queue.add(timer("before", 5));
    expect(fired).toEqual(["now", "before"]);
  });

  test("forgets timers that nobody wants any more, at the latest when there are many", async () => {
    const clock = new ManualClock(0);
    let asked = 0;
    const fired: string[] = [];
    const queue = new TimerQueue(
      clock,
      ({ key }) => {
        asked += 1;
        return key.startsWith("wanted");
      },
      (due) => fired.push(...due.map(({ key }) => key)),
    );
    for (let n = 0; n < 3000; n += 1) queue.add(timer(n % 100 ? `${n}` : `wanted-${n}`, 3001 - n));
    expect(asked).toBeGreaterThan(1000);
    await clock.advanceSettling(3001, settled);
    expect(fired).toHaveLength(30);
    expect(fired[0]).toBe("wanted-2900");
  });

  test("takes nothing on once it is stopped", async () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    const queue = new TimerQueue(
      clock,
      () => true,
      (due) => fired.push(...due.map(({ key }) => key)),
    );
    queue.add(timer("before", 10));
    queue.stop();
    queue.add(timer("after", 10));
    queue.add(timer("due", 0));
    await clock.advanceSettling(100, settled);
    expect(fired).toEqual([]);
  });
});
