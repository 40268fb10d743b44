import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import type { Entity } from "../../../local/host/durable/instance.ts";
import { DurableHost, freshId } from "../../support/durable-host.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterEach(() => channel.clear());
afterAll(() => app.stop());

function state(key: string): unknown {
  const found = app.entity(`@counter@${key}`) as Entity | undefined;
  return JSON.parse(found?.state ?? "null");
}

async function holderOf(key: string): Promise<string> {
  const locked = await app.host.waitFor(`@counter@${key}`, (found) => {
    return found?.kind === "entity" && found.lockedBy !== null;
  });
  return (locked as Entity).lockedBy ?? "";
}

function freshKeys(): [string, string] {
  return [freshId("a"), freshId("b")];
}

describe("a lock on two entities", () => {
  test("lets one orchestration in at a time", async () => {
    const keys = freshKeys();
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        app.start("critical-section", { keys, rounds: 3, name: `s${n}`, ends: "releases" }),
      ),
    );
    for (const id of ids) {
      expect((await app.finished(id)).output).toEqual({ locked: false, after: "after" });
    }
    expect(keys.map(state)).toEqual([6, 6]);
    const passages = channel.reported("section") as string[];
    for (let n = 0; n < passages.length; n += 2) {
      expect(passages[n + 1]).toBe(passages[n]?.replace("in", "out"));
    }
  });

  test("asked for in opposite order ends in no deadlock", async () => {
    const [one, other] = freshKeys();
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        app.start("critical-section", { keys: n % 2 ? [one, other] : [other, one], name: `s${n}` }),
      ),
    );
    for (const id of ids) expect((await app.finished(id)).runtimeStatus).toBe("Completed");
    expect([state(one), state(other)]).toEqual([10, 10]);
  });

  test.each([
    { ends: "returns", status: "Completed" },
    { ends: "throws", status: "Failed" },
  ])("is given back when the orchestration $ends without releasing it", async ({ ends, status }) => {
    const keys = freshKeys();
    const first = await app.run("critical-section", { keys, name: "first", ends });
    expect(first.runtimeStatus).toBe(status);
    const second = await app.run("critical-section", { keys, name: "second" });
    expect(second.runtimeStatus).toBe("Completed");
    expect(keys.map(state)).toEqual([2, 2]);
  });

  test("is given back when the orchestration is terminated", async () => {
    const keys = freshKeys();
    const holder = await app.start("critical-section", { keys, name: "holder", ends: "waits" });
    expect(await holderOf(keys[1])).toBe(holder);
    const next = await app.start("critical-section", { keys, name: "next" });
    await app.host.idle();
    expect((await app.status(next)).runtimeStatus).toBe("Running");
    await app.client("terminate", holder, "enough");
    expect((await app.finished(next)).runtimeStatus).toBe("Completed");
  });

  test("that was still waited for is not taken after the orchestration was terminated", async () => {
    const keys = freshKeys();
    const holder = await app.start("critical-section", { keys, name: "holder", ends: "waits" });
    expect(await holderOf(keys[1])).toBe(holder);
    const impatient = await app.start("critical-section", { keys, name: "impatient" });
    await app.host.idle();
    await app.client("terminate", impatient, "enough");
    await app.finished(impatient);
    const next = await app.start("critical-section", { keys, name: "next" });
    await app.raise(holder, "leave");
    expect((await app.finished(next)).runtimeStatus).toBe("Completed");
    expect(channel.reported("section")).not.toContain("impatient in");
  });

  test("of a terminated orchestration does not disturb the one that has its id now", async () => {
    const [one, other] = freshKeys();
    const holder = await app.start("critical-section", { keys: [other], name: "holder", ends: "waits" });
    expect(await holderOf(other)).toBe(holder);
    const id = freshId("again");
    await app.start("critical-section", { keys: [one, other], name: "old" }, id);
    expect(await holderOf(one)).toBe(id);
    await app.client("terminate", id, "enough");
    await app.finished(id);
    await app.start("critical-section", { keys: [one, other], name: "new", ends: "waits" }, id);
    expect(await holderOf(one)).toBe(id);
    await app.raise(holder, "leave");
    expect(await holderOf(other)).toBe(id);
    await app.host.idle();
    expect(await holderOf(one)).toBe(id);
    await app.raise(id, "leave");
    expect((await app.finished(id)).runtimeStatus).toBe("Completed");
  });

  test("keeps out signals from elsewhere until it is given back", async () => {
    const keys = freshKeys();
    const holder = await app.start("critical-section", { keys, name: "holder", ends: "waits" });
    expect(await holderOf(keys[1])).toBe(holder);
    await app.manage("POST", `entities/counter/${keys[0]}?op=add`, 100);
    await app.host.idle();
    expect(state(keys[0])).toBe(1);
    await app.raise(holder, "leave");
    await app.finished(holder);
    await app.host.idle();
    expect(state(keys[0])).toBe(101);
  });
});
