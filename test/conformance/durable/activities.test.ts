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

function episodes(id: string): number {
  return app.history(id).filter((event) => event.EventType === eventType.OrchestratorStarted).length;
}

describe("an activity", () => {
  test("gets and gives back every kind of JSON value unchanged", async () => {
    const values = [
      "text",
      "123",
      "true",
      "null",
      '{"looks":"like JSON"}',
      "",
      "ümläut ☂ \u2028",
      0,
      -1.5,
      1e21,
      true,
      false,
      [],
      [1, "1", null],
      {},
      { nested: { list: [{ deep: "12" }] } },
    ];
    const { output } = await app.run("round-trips", values);
    expect(output).toEqual(values.map((value) => [value, typeof value]));
  });

  test("that is given nothing or gives back nothing shows as undefined and null", async () => {
    const { output } = await app.run("undefined-input");
    expect(output).toEqual(["undefined", null]);
  });

  test("given null gets no value, as on the platform", async () => {
    const { output } = await app.run("one-activity", { name: "type-of", input: null });
    expect(output).toEqual({ result: "undefined" });
  });

  test("knows the instance it works for", async () => {
    const id = await app.start("one-activity", { name: "whoami", input: {} });
    expect((await app.finished(id)).output).toEqual({ result: id });
  });

  test("is found whatever the case of its name", async () => {
    const { output } = await app.run("one-activity", { name: "ECHO", input: 1 });
    expect(output).toEqual({ result: 1 });
  });

  test("that fails can be caught, with what it threw", async () => {
    const { output } = await app.run("catches", { name: "fail", input: { message: "no luck" } });
    expect(output).toEqual({
      isTaskFailed: true,
      message: "TypeError: no luck",
      taskName: "fail",
      type: "TypeError",
    });
  });

  test("that throws something other than an error fails with its text", async () => {
    const { output } = await app.run("catches", { name: "fail-with-text", input: "just text" });
    expect(output).toMatchObject({ message: "Error: just text" });
  });

  test("that fails and is not caught fails the orchestration", async () => {
    const status = await app.run("one-activity", { name: "fail", input: { message: "no luck" } });
    expect(status).toMatchObject({
      runtimeStatus: "Failed",
      output: "Orchestrator function 'one-activity' failed: TypeError: no luck",
    });
  });

  test("that does not exist fails the orchestration, which says what there is", async () => {
    const status = await app.run("one-activity", { name: "eco", input: 1 });
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("The function 'eco' doesn't exist");
    expect(status.output).toContain("Known activity functions: ");
    expect(status.output).toContain("'echo'");
  });
});

describe("an orchestrator", () => {
  test("runs activities one after the other", async () => {
    const { output } = await app.run("chain", { names: ["Ada", "Grace", "Barbara"] });
    expect(output).toEqual(["hello Ada", "hello Grace", "hello Barbara"]);
  });

  test.each([{ activityFirst: false }, { activityFirst: true }])(
    "that throws fails its instance with the message (%o)",
    async (input) => {
      const status = await app.run("throws", { ...input, thrown: "bad state" });
      expect(status).toMatchObject({
        runtimeStatus: "Failed",
        output: "Orchestrator function 'throws' failed: bad state",
      });
    },
  );

  test("that throws an error without a message fails all the same", async () => {
    const status = await app.run("throws", { thrown: "" });
    expect(status).toMatchObject({ runtimeStatus: "Failed" });
    expect(status.output).toContain("threw an error without a message");
  });

  test("that throws something other than an error fails all the same", async () => {
    const status = await app.run("throws", { activityFirst: true, plain: true, thrown: "plain text" });
    expect(status).toMatchObject({ runtimeStatus: "Failed" });
  });

  test("that yields something other than a task fails, and is told so", async () => {
    const status = await app.run("yields-nonsense");
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("Only Task types can be yielded");
  });
});

describe("activities side by side", () => {
  test("give their results in the order they were asked for", async () => {
    const { output } = await app.run("fan-out", { width: 100 });
    expect(output).toEqual(Array.from({ length: 100 }, (_, n) => n * 2));
  });

  test("are taken note of in batches, so that many take few episodes", async () => {
    const id = await app.start("fan-out", { width: 500 });
    expect((await app.finished(id)).output).toHaveLength(500);
    expect(episodes(id)).toBeLessThan(150);
  });

  test("can be nested", async () => {
    const { output } = await app.run("nested");
    expect(output).toEqual([[{ n: 2 }, { n: 4 }], { n: 6 }, { n: 8 }]);
  });

  test("run at the same time", async () => {
    for (const name of ["a", "b", "c"]) channel.hold(name);
    const id = await app.start("all-of", { calls: [{ name: "a" }, { name: "b" }, { name: "c" }] });
    expect(new Set(await channel.reports("held", 3))).toEqual(new Set(["a", "b", "c"]));
    for (const name of ["c", "b", "a"]) channel.release(name);
    expect((await app.finished(id)).output).toEqual([["a", "b", "c"]]);
  });

  test("are all waited for before a failure among them shows, caught or not", async () => {
    channel.hold("slow");
    const calls = [{ name: "quick", fails: true }, { name: "slow" }];
    const uncaught = await app.start("all-of", { calls });
    const caught = await app.start("all-of", { calls, next: "next" });
    await channel.reports("held", 4);
    await app.host.waitFor(uncaught, hasAnswer);
    await app.host.waitFor(caught, hasAnswer);
    expect((await app.status(uncaught)).runtimeStatus).toBe("Running");
    expect((await app.status(caught)).runtimeStatus).toBe("Running");
    channel.release("slow");
    expect(await app.finished(uncaught)).toMatchObject({ runtimeStatus: "Failed" });
    expect((await app.finished(caught)).output).toEqual(["Error: quick failed", "next"]);
  });

  test("can each be asked how they went", async () => {
    const { output } = await app.run("all-settled", [
      { name: "one" },
      { name: "two", fails: true },
      { name: "three" },
      { name: "four", fails: true },
    ]);
    expect(output).toEqual([
      { ok: "one" },
      { failed: "Error: two failed" },
      { ok: "three" },
      { failed: "Error: four failed" },
      "after",
    ]);
    expect(new Set(channel.reported("held"))).toEqual(new Set(["one", "two", "three", "four"]));
    expect(channel.reported("held")).toHaveLength(4);
  });
});

describe("an activity raced against a timer", () => {
  test("that wins leaves the cancelled timer without effect", async () => {
    const id = await app.start("with-deadline", { call: { name: "fast" }, milliseconds: 1000 });
    const { output } = await app.finished(id);
    expect(output).toEqual({ inTime: "fast", after: "went on" });
    await app.host.advance(2000);
    expect((await app.status(id)).output).toEqual(output);
  });

  test("that is too late leaves its answer without effect", async () => {
    channel.hold("late");
    const id = await app.start("with-deadline", { call: { name: "late" }, milliseconds: 1000 });
    await channel.reports("held");
    // The clock alone: whoever waits for the host to come to rest would wait for the activity.
    await app.clock.advanceSettling(999, () => Promise.resolve());
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    await app.clock.advanceSettling(1, () => Promise.resolve());
    expect((await app.finished(id)).output).toEqual({ late: "gave up" });
    channel.release("late");
    await app.host.idle();
    expect((await app.status(id)).output).toEqual({ late: "gave up" });
  });
});

function hasAnswer(found: Parameters<Parameters<DurableHost["host"]["waitFor"]>[1]>[0]): boolean {
  return (
    found?.kind === "orchestration" && found.history.some((event) => event.EventType === eventType.TaskFailed)
  );
}
