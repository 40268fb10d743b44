import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { eventType } from "../../../local/host/durable/history.ts";
import { DurableHost } from "../../support/durable-host.ts";

const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterAll(() => app.stop());

function timers(id: string): number {
  return app.history(id).filter((event) => event.EventType === eventType.TimerCreated).length;
}

describe("a durable timer", () => {
  test("fires when its time has come and not before", async () => {
    const begun = app.clock.now();
    const id = await app.start("sleeps", [30 * second]);
    await app.host.advance(30 * second - 1);
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    await app.host.advance(1);
    expect((await app.finished(id)).output).toEqual([new Date(begun + 30 * second).toISOString()]);
  });

  test("can follow another, each at its own time", async () => {
    const begun = app.clock.now();
    const id = await app.start("sleeps", [second, hour, 1, 2 * day]);
    await app.host.advance(3 * day);
    const times = (await app.status(id)).output as string[];
    expect(times.map((time) => Date.parse(time) - begun)).toEqual([
      second,
      second + hour,
      second + hour + 1,
      second + hour + 1 + 2 * day,
    ]);
  });

  test("can run beside others, of which the last decides", async () => {
    const begun = app.clock.now();
    const id = await app.start("sleeps-side-by-side", [3 * second, hour, second]);
    await app.host.advance(hour);
    expect((await app.status(id)).output).toBe(new Date(begun + hour).toISOString());
  });

  test("set for a time gone by fires at once", async () => {
    const { runtimeStatus } = await app.run("sleeps", [-hour, 0, -1]);
    expect(runtimeStatus).toBe("Completed");
  });

  test("fires for an instance that has many", async () => {
    const id = await app.start(
      "sleeps-side-by-side",
      Array.from({ length: 200 }, (_, n) => ((n * 37) % 200) * second),
    );
    await app.host.advance(199 * second);
    expect((await app.status(id)).runtimeStatus).toBe("Completed");
  });
});

describe("a loop against the clock", () => {
  test("ends exactly at its deadline", async () => {
    const id = await app.start("polls-until", { milliseconds: hour, step: 7 * 60 * second });
    await app.host.advance(hour);
    expect((await app.status(id)).output).toEqual({ rounds: 9, over: 0 });
  });

  test("lets a day of minutes pass in moments", async () => {
    const id = await app.start("polls-until", { milliseconds: day, step: 15 * 60 * second });
    await app.host.advance(day);
    expect((await app.status(id)).output).toEqual({ rounds: 96, over: 0 });
  });
});

describe("a timer further away than six days", () => {
  test("is made of legs of three days and fires on time", async () => {
    const begun = app.clock.now();
    const id = await app.start("sleeps", [10 * day]);
    await app.host.advance(10 * day - 1);
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    await app.host.advance(1);
    expect((await app.status(id)).output).toEqual([new Date(begun + 10 * day).toISOString()]);
    expect(timers(id)).toBe(4);
  });

  test("of exactly six days is one timer", async () => {
    const id = await app.start("sleeps", [6 * day]);
    await app.host.advance(6 * day);
    expect((await app.status(id)).runtimeStatus).toBe("Completed");
    expect(timers(id)).toBe(1);
  });

  test("wins against an event that does not come", async () => {
    const id = await app.start("long-deadline", { milliseconds: 10 * day, after: second, cancels: true });
    await app.host.advance(11 * day);
    expect((await app.status(id)).output).toEqual(["deadline", "done"]);
  });

  test("loses against an event and may go on beside what follows", async () => {
    const id = await app.start("long-deadline", { milliseconds: 10 * day, after: second, cancels: false });
    await app.host.advance(4 * day);
    expect(await app.raise(id, "go")).toBe(202);
    await app.host.advance(day);
    expect((await app.status(id)).output).toEqual(["event", "done"]);
  });

  test.each([
    { what: "after its first leg", before: 4 * day, after: second },
    { what: "before a leg that ends later", before: day, after: 4 * day },
  ])("cancelled $what is refused, for the platform would mix up what follows", async ({ before, after }) => {
    const id = await app.start("long-deadline", { milliseconds: 10 * day, after, cancels: true });
    await app.host.advance(before);
    expect(await app.raise(id, "go")).toBe(202);
    await app.host.advance(10 * day);
    const status = await app.status(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("would be corrupted on Azure");
    expect(status.output).toContain("further away than six days");
  });
});
