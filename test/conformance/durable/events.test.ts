import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { DurableHost } from "../../support/durable-host.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterEach(() => channel.clear());
afterAll(() => app.stop());

describe("an external event", () => {
  test.each([["text"], [{ approved: true, by: "Ada" }], [42], [false], [null], [["1", 1]]])(
    "carries %j to the orchestrator that waits for it",
    async (data) => {
      const id = await app.start("waits", { event: "go" });
      await app.host.idle();
      expect(await app.raise(id, "go", data)).toBe(202);
      expect((await app.finished(id)).output).toEqual(data);
    },
  );

  test("raised through the durable client arrives as well", async () => {
    const id = await app.start("waits", { event: "go" });
    await app.client("raiseEvent", id, "go", { from: "client" });
    expect((await app.finished(id)).output).toEqual({ from: "client" });
  });

  test("that comes before it is waited for is kept", async () => {
    channel.hold("before the wait");
    const id = await app.start("works-then-waits");
    await channel.reports("held");
    expect(await app.raise(id, "go", "early")).toBe(202);
    channel.release("before the wait");
    expect((await app.finished(id)).output).toEqual(["before the wait", "early"]);
  });

  test("of a name that others have too is taken in turn", async () => {
    const id = await app.start("collects", { count: 5 });
    for (let n = 0; n < 5; n += 1) await app.raise(id, "item", n);
    expect((await app.finished(id)).output).toEqual([0, 1, 2, 3, 4]);
  });

  test("comes to the one that waits for it, whichever comes first", async () => {
    const id = await app.start("waits-for-both");
    await app.raise(id, "right", "R");
    await app.raise(id, "left", "L");
    expect((await app.finished(id)).output).toEqual(["L", "R"]);
  });

  test("that two wait for goes to the one that began to wait last", async () => {
    const id = await app.start("waits-twice");
    await app.host.idle();
    await app.raise(id, "go", "first");
    await app.host.idle();
    await app.raise(id, "go", "second");
    expect((await app.finished(id)).output).toEqual(["second", "first"]);
  });

  test("written in another case does not reach the orchestrator, and does no harm", async () => {
    const id = await app.start("works-then-waits");
    await app.raise(id, "GO", "not me");
    await app.host.idle();
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    await app.raise(id, "go", "me");
    expect((await app.finished(id)).output).toEqual(["before the wait", "me"]);
  });

  test("that nobody waits for does no harm", async () => {
    const id = await app.start("waits", { event: "go" });
    await app.raise(id, "something-else", 1);
    await app.raise(id, "go", 2);
    expect((await app.finished(id)).output).toBe(2);
  });
});

describe("an event raced against a deadline", () => {
  test("wins when it comes in time", async () => {
    const id = await app.start("event-or-deadline");
    await app.host.advance(59_999);
    await app.raise(id, "go", "in time");
    expect((await app.finished(id)).output).toEqual({ event: "in time", after: "went on" });
    await app.host.advance(60_000);
    expect((await app.status(id)).runtimeStatus).toBe("Completed");
  });

  test("loses when the deadline passes first", async () => {
    const id = await app.start("event-or-deadline");
    await app.host.advance(60_000);
    expect((await app.finished(id)).output).toEqual({ late: "gave up" });
  });

  test("can be raced again and again", async () => {
    const id = await app.start("takes-turns");
    await app.raise(id, "turn", "one");
    await app.host.advance(1000);
    await app.raise(id, "turn", "three");
    expect((await app.finished(id)).output).toEqual(["one", "late", "three"]);
  });
});

describe("raising an event", () => {
  test("to an instance that has finished answers 410, which the client takes for success", async () => {
    const id = await app.start("chain", { names: [] });
    await app.finished(id);
    expect(await app.raise(id, "go")).toBe(410);
    expect(await app.client("raiseEvent", id, "go", 1)).toBeUndefined();
  });

  test("to an instance that does not exist answers 404, which the client takes for an error", async () => {
    expect(await app.raise("nobody", "go")).toBe(404);
    await expect(app.client("raiseEvent", "nobody", "go", 1)).rejects.toThrow(
      "No instance with ID 'nobody' found.",
    );
  });

  test("without data, or with data that is not JSON, answers 400", async () => {
    const id = await app.start("waits", { event: "go" });
    const path = `${app.host.url}/runtime/webhooks/durabletask/instances/${id}/raiseEvent/go`;
    expect((await fetch(path, { method: "POST" })).status).toBe(400);
    expect((await fetch(path, { method: "POST", body: "{no json" })).status).toBe(400);
    await app.raise(id, "go", 1);
    await app.finished(id);
  });
});
