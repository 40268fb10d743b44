import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { ManualClock } from "../../../local/clock.ts";
import { DurableHost, freshId, type Status } from "../../support/durable-host.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
const second = 1000;
const day = 86_400 * second;
const hub = { rotateAtBytes: 20_000, durability: "process" } as const;
let dataDir: string;
let app: DurableHost;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "restart-"));
  app = await DurableHost.open({ dataDir, hub });
});
afterEach(async () => {
  channel.clear();
  await app.stop();
  rmSync(dataDir, { recursive: true });
});

/** The host stops and another one takes its place, some time later. */
async function restart(later = 0): Promise<void> {
  const now = app.clock.now() + later;
  await app.stop();
  app = await DurableHost.open({ dataDir, hub, clock: new ManualClock(now) });
}

async function counter(key: string): Promise<unknown> {
  const response = await app.manage("GET", `entities/counter/${key}`);
  return response.json();
}

describe("a host that is started again", () => {
  test("goes on with what waits, sleeps or is suspended, and still knows what has finished", async () => {
    const done = await app.start("chain", { names: ["Ada"] });
    const before = await app.finished(done);
    const waiting = await app.start("works-then-waits");
    const sleeping = await app.start("sleeps", [60 * second]);
    const suspended = await app.start("collects", { count: 1 });
    await app.host.idle();
    await app.client("suspend", suspended, "r");
    await app.raise(suspended, "item", "kept");
    await app.host.idle();
    await restart();
    expect(await app.status(done)).toEqual(before);
    expect((await app.status(suspended)).runtimeStatus).toBe("Suspended");
    await app.client("resume", suspended, "r");
    expect((await app.finished(suspended)).output).toEqual(["kept"]);
    await app.raise(waiting, "go", "still there");
    expect((await app.finished(waiting)).output).toEqual(["before the wait", "still there"]);
    await app.host.advance(60 * second - 1);
    expect((await app.status(sleeping)).runtimeStatus).toBe("Running");
    await app.host.advance(1);
    expect((await app.status(sleeping)).runtimeStatus).toBe("Completed");
  });

  test("makes good for what fell due while it was away, and only once", async () => {
    const begun = app.clock.now();
    const sleeping = await app.start("sleeps", [second, second]);
    const late = await app.start("event-or-deadline");
    await app.host.idle();
    await restart(day);
    expect((await app.finished(late)).output).toEqual({ late: "gave up" });
    await app.host.advance(second);
    expect((await app.finished(sleeping)).output).toEqual([
      new Date(begun + day).toISOString(),
      new Date(begun + day + second).toISOString(),
    ]);
  });

  test("ends a timer of many days that it slept through", async () => {
    const id = await app.start("long-deadline", { milliseconds: 10 * day, after: second, cancels: true });
    await app.host.advance(day);
    await restart(30 * day);
    await app.host.advance(second);
    expect((await app.finished(id)).output).toEqual(["deadline", "done"]);
  });

  test("goes on with retries where they were", async () => {
    const key = freshId("k");
    const policy = { first: 10 * second, attempts: 4, backoff: 2 };
    const id = await app.start("retries", { key, times: 3, policy });
    await app.host.advance(10 * second);
    await restart();
    await app.host.advance(59 * second);
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    await app.host.advance(second);
    expect((await app.status(id)).output).toEqual([`${key} after 3 failures`, "then"]);
  });

  test("still holds the locks that orchestrations hold, and the queue for them", async () => {
    const keys = ["restart-a", "restart-b"];
    const holder = await app.start("critical-section", { keys, name: "holder", ends: "waits" });
    await app.host.idle();
    const next = await app.start("critical-section", { keys, name: "next" });
    await app.host.idle();
    await restart();
    await app.host.idle();
    expect((await app.status(next)).runtimeStatus).toBe("Running");
    await app.raise(holder, "leave");
    expect((await app.finished(next)).runtimeStatus).toBe("Completed");
    expect(await counter("restart-a")).toBe(2);
  });

  test("lets an activity end before it stops, and its answer arrives in the next", async () => {
    channel.hold("slow");
    const id = await app.start("all-of", { calls: [{ name: "slow" }], next: "next" });
    await channel.reports("held");
    const restarting = restart();
    channel.release("slow");
    await restarting;
    expect((await app.finished(id)).output).toEqual([["slow"], "next"]);
    expect(channel.reported("held")).toEqual(["slow"]);
  });
});

describe("a host whose journal begins anew under load", () => {
  test("loses nothing, brings nothing back, and knows its entities' state", async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `load-${n}`);
    const run = async (id: string, n: number): Promise<void> => {
      await app.start("chain", { names: [id, "x".repeat(300)] }, id);
      await app.start("entity-calls", [{ key: `e-${n % 3}`, op: "add", input: 1 }], `${id}-entity`);
      await app.finished(id);
      await app.finished(`${id}-entity`);
    };
    for (let n = 0; n < ids.length; n += 6) {
      await Promise.all(ids.slice(n, n + 6).map((id, at) => run(id, n + at)));
    }
    await restart();
    expect(readdirSync(join(dataDir, "hub", "Conformance")).some((name) => name.startsWith("archive"))).toBe(
      true,
    );
    expect((await app.client("getStatusAll")) as Status[]).toHaveLength(120);
    for (const id of ids) expect((await app.status(id)).output).toHaveLength(2);
    expect(await Promise.all([0, 1, 2].map((n) => counter(`e-${n}`)))).toEqual([20, 20, 20]);

    const purged = ids.filter((_, n) => n % 4 === 0);
    for (const id of purged)
      expect(await app.client("purgeInstanceHistory", id)).toEqual({ instancesDeleted: 1 });
    await app.start("chain", { names: ["again"] }, "load-1");
    await app.finished("load-1");
    const { output } = await app.run("entity-calls", [
      { key: "e-0", op: "add", input: 1, signal: true },
      { key: "e-0", op: "add", input: 1, signal: true },
      { key: "e-0", op: "get" },
      { key: "e-1", op: "remove" },
    ]);
    expect(output).toEqual([22, null]);
    for (let n = 0; n < 40; n += 1) await app.run("chain", { names: ["y".repeat(500)] }, `more-${n}`);
    await restart();
    for (const id of purged) expect((await app.manage("GET", `instances/${id}`)).status).toBe(404);
    expect((await app.status("load-1")).output).toEqual(["hello again"]);
    expect(await counter("e-0")).toBe(22);
    expect((await app.manage("GET", "entities/counter/e-1")).status).toBe(404);
    expect((await app.client("getStatusAll")) as Status[]).toHaveLength(120 - purged.length + 41);
  });
});
