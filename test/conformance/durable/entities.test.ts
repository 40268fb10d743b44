import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { DurableHost, freshId } from "../../support/durable-host.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterEach(() => channel.clear());
afterAll(() => app.stop());

async function value(key: string): Promise<unknown> {
  const response = await app.manage("GET", `entities/counter/${key}`);
  return response.status === 404 ? undefined : response.json();
}

describe("an entity", () => {
  test("called by an orchestration answers it and keeps its state", async () => {
    const key = freshId("k");
    const { output } = await app.run("entity-calls", [
      { key, op: "add", input: 5 },
      { key, op: "add", input: 2 },
      { key, op: "get" },
      { key, op: "reset" },
      { key, op: "get" },
    ]);
    expect(output).toEqual([5, 7, 7, null, 0]);
    expect(await value(key)).toBe(0);
  });

  test("signalled by an orchestration does what it is told, in order", async () => {
    const key = freshId("k");
    const { output } = await app.run("entity-calls", [
      { key, op: "add", input: 5, signal: true },
      { key, op: "add", input: 1, signal: true },
      { key, op: "get" },
    ]);
    expect(output).toEqual([6]);
  });

  test("signalled by a client does what it is told", async () => {
    const key = freshId("k");
    await app.client("signalEntity", { entity: ["counter", key] }, "add", 3);
    expect((await app.manage("POST", `entities/Counter/${key}?op=add`, 4)).status).toBe(202);
    await app.host.idle();
    expect(await value(key)).toBe(7);
  });

  test("is told whether it is new", async () => {
    const key = freshId("k");
    const { output } = await app.run("entity-calls", [
      { key, op: "is-new" },
      { key, op: "add", input: 1 },
      { key, op: "is-new" },
    ]);
    expect(output).toEqual([true, 1, false]);
  });

  test("that throws text fails the call with it, and keeps what it had set before", async () => {
    const key = freshId("k");
    const { output } = await app.run("entity-calls", [
      { key, op: "fail", input: "not today" },
      { key, op: "get" },
    ]);
    expect(output).toEqual([{ caught: "not today" }, 100]);
  });

  test("that throws an error loses its message, as the SDK does", async () => {
    const { output } = await app.run("entity-calls", [{ key: freshId("k"), op: "fail-with-error" }]);
    expect(output).toEqual([{ caught: "[object Object]" }]);
  });

  test("can signal another", async () => {
    const [from, to] = [freshId("k"), freshId("k")];
    const { output } = await app.run("entity-calls", [{ key: from, op: "pass-on", input: { to, n: 9 } }]);
    expect(output).toEqual(["passed on"]);
    await app.host.idle();
    expect(await value(to)).toBe(9);
  });

  test("can end its own existence and begin anew", async () => {
    const key = freshId("k");
    await app.run("entity-calls", [
      { key, op: "add", input: 4 },
      { key, op: "remove" },
    ]);
    expect(await value(key)).toBeUndefined();
    expect(app.host.durable.operations?.entity(`@counter@${key}`)).toBeUndefined();
    const { output } = await app.run("entity-calls", [{ key, op: "add", input: 1 }]);
    expect(output).toEqual([1]);
  });

  test("without a function fails the call, and says so", async () => {
    const { output } = await app.run("entity-calls", [{ name: "nobody", key: "k", op: "add" }]);
    expect(output).toEqual([{ caught: "The entity function 'nobody' doesn't exist or is disabled." }]);
  });

  test("is one and the same whatever the case of its name, but not of its key", async () => {
    const key = freshId("k");
    const { output } = await app.run("entity-calls", [
      { name: "COUNTER", key, op: "add", input: 1 },
      { name: "Counter", key, op: "add", input: 1 },
      { key: key.toUpperCase(), op: "add", input: 1 },
    ]);
    expect(output).toEqual([1, 2, 1]);
  });

  test("does one thing at a time, and misses nothing that comes meanwhile", async () => {
    const key = freshId("k");
    channel.hold(`entity ${key}`);
    await app.manage("POST", `entities/counter/${key}?op=held`);
    await channel.reports("entity", 1);
    const calls = await Promise.all(
      Array.from({ length: 20 }, () => app.start("entity-calls", [{ key, op: "add", input: 1 }])),
    );
    expect(channel.reported("entity")).toHaveLength(1);
    channel.release(`entity ${key}`);
    const outputs = await Promise.all(calls.map(async (id) => (await app.finished(id)).output));
    expect(new Set(outputs.flat())).toEqual(new Set(Array.from({ length: 20 }, (_, n) => n + 2)));
  });

  test("can be called side by side with others", async () => {
    const keys = Array.from({ length: 12 }, () => freshId("k"));
    const { output } = await app.run(
      "entities-side-by-side",
      keys.map((key, n) => ({ key, n })),
    );
    expect(output).toEqual(keys.map((_, n) => n));
  });
});

describe("reading entities", () => {
  test("finds the state of one that exists and not of one that does not", async () => {
    const key = freshId("k");
    expect(await app.client("readEntityState", { entity: ["counter", key] })).toEqual({
      entityExists: false,
    });
    await app.run("entity-calls", [{ key, op: "add", input: 2 }]);
    expect(await app.client("readEntityState", { entity: ["counter", key] })).toEqual({
      entityExists: true,
      entityState: 2,
    });
  });

  test("lists them page by page, with their state when asked to", async () => {
    const keys = ["list-a", "list-b", "list@c"];
    await app.run(
      "entities-side-by-side",
      keys.map((key, n) => ({ key, n })),
    );
    const all = (await (await app.manage("GET", "entities/counter?fetchState=true")).json()) as {
      entityId: { name: string; key: string };
      state: unknown;
    }[];
    const listed = all.filter(({ entityId }) => entityId.key.startsWith("list"));
    expect(listed.map(({ entityId, state }) => [entityId.key, state])).toEqual([
      ["list-a", 0],
      ["list-b", 1],
      ["list@c", 2],
    ]);
    const seen: string[] = [];
    for (let token = ""; ;) {
      const page = await app.manage("GET", "entities?top=2", undefined, { "x-ms-continuation-token": token });
      const found = (await page.json()) as { entityId: { key: string }; state: unknown }[];
      expect(found.every(({ state }) => state === null)).toBe(true);
      seen.push(...found.map(({ entityId }) => entityId.key));
      token = page.headers.get("x-ms-continuation-token") ?? "";
      if (token === "") break;
    }
    expect(seen).toEqual(all.map(({ entityId }) => entityId.key));
  });

  test("does not show them among orchestrations", async () => {
    await app.run("entity-calls", [{ key: "hidden", op: "add", input: 2 }]);
    const all = (await app.client("getStatusAll")) as { instanceId: string }[];
    expect(all.some(({ instanceId }) => instanceId.startsWith("@"))).toBe(false);
  });
});
