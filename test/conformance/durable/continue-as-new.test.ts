import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { eventType } from "../../../local/host/durable/history.ts";
import { DurableHost } from "../../support/durable-host.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterEach(() => channel.clear());
afterAll(() => app.stop());

describe("continueAsNew", () => {
  test("carries the state on and forgets the history", async () => {
    const id = await app.start("counts-down", { left: 5, log: [] });
    const status = await app.finished(id);
    expect(status.output).toEqual([5, 4, 3, 2, 1]);
    expect(status.input).toEqual({ left: 0, log: [5, 4, 3, 2, 1] });
    const history = app.history(id);
    expect(history.filter((event) => event.EventType === eventType.ExecutionStarted)).toHaveLength(1);
    expect(history.filter((event) => event.EventType === eventType.TaskScheduled)).toHaveLength(0);
  });

  test("can go on for a thousand generations", async () => {
    const status = await app.run("many-generations", { left: 1000 });
    expect(status).toMatchObject({ output: "done", customStatus: { left: 0 } });
  });

  test("keeps the custom status until it is changed, and the time of creation", async () => {
    const id = await app.start("many-generations", { left: 3 });
    const { createdTime } = await app.status(id);
    expect(await app.finished(id)).toMatchObject({ createdTime, customStatus: { left: 0 } });
  });

  test.each([
    [{ an: "object" }, { an: "object" }],
    [42, 42],
    [["a"], ["a"]],
    // The SDK has turned a string into JSON already, and the platform does so again.
    ["text", '"text"'],
  ])("given %j begins the next generation with %j", async (first, expected) => {
    const { output } = await app.run("hands-on", { first });
    expect(output).toEqual(expected);
  });

  test("in a sub-orchestration still answers the parent in the end", async () => {
    const { output } = await app.run("generations-of-a-child", { left: 3, log: [] });
    expect(output).toEqual([3, 2, 1]);
  });

  test("drops answers to what an earlier generation asked for", async () => {
    channel.hold("first");
    channel.hold("second");
    const id = await app.start("leaves-work-behind", { generation: 1 });
    await channel.reports("held", 1);
    await app.clock.advanceSettling(1000, () => Promise.resolve());
    await channel.reports("held", 2);
    channel.release("first");
    await app.host.waitFor(id, (found) => {
      return found?.kind === "orchestration" && Object.keys(found.tasks).length === 1;
    });
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    channel.release("second");
    expect((await app.finished(id)).output).toBe("of the second");
  });

  test("gives back the locks it holds, so that the next generation can have them", async () => {
    const { output } = await app.run("locks-and-continues", { left: 3 });
    expect(output).toBe(4);
    expect(channel.reported("locked")).toEqual([1, 2, 3, 4]);
  });
});

describe("events and continueAsNew", () => {
  test("reach one generation each, however many come at once", async () => {
    const id = await app.start("actor", { seen: [], until: 20 });
    await Promise.all(Array.from({ length: 20 }, (_, n) => app.raise(id, "say", n)));
    const seen = (await app.finished(id)).output as number[];
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test("that came too early are lost with the generation they came to", async () => {
    channel.hold("generation 1");
    const id = await app.start("busy-actor", { generation: 1 });
    await channel.reports("held", 1);
    await app.raise(id, "say", "to the first");
    await app.host.waitFor(id, (found) => found?.inbox.length === 0);
    channel.release("generation 1");
    await app.host.idle();
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    await app.raise(id, "say", "to the second");
    expect((await app.finished(id)).output).toBe("to the second");
  });

  test("raced against a deadline that is left alone come once", async () => {
    const id = await app.start("actor-with-deadline", { seen: [], until: 3, cancels: false });
    await app.raise(id, "say", "one");
    await app.host.idle();
    expect((await app.status(id)).input).toMatchObject({ seen: ["one"] });
    await app.host.advance(60_000);
    await app.raise(id, "say", "three");
    expect((await app.finished(id)).output).toEqual(["one", "silence", "three"]);
  });

  test("raced against a deadline that is cancelled are refused, for the platform would raise them forever", async () => {
    const id = await app.start("actor-with-deadline", { seen: [], until: 3, cancels: true });
    await app.raise(id, "say", "one");
    const status = await app.finished(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("would run in circles on Azure: event 'say'");
  });
});
