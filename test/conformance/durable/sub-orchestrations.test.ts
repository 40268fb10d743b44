import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { DurableHost, freshId } from "../../support/durable-host.ts";

let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterAll(() => app.stop());

function containing(text: string): unknown {
  return expect.stringContaining(text);
}

interface Leaf {
  readonly instanceId: string;
  readonly parentInstanceId: string | null;
  readonly value: unknown;
}

describe("a sub-orchestration", () => {
  test("gives its output to its parent and knows it", async () => {
    const id = await app.start("parent", { input: { value: "v" } });
    const { instanceId, parentInstanceId, value } = (await app.finished(id)).output as Leaf;
    expect(value).toBe("v");
    expect(parentInstanceId).toBe(id);
    expect(instanceId).toMatch(/^[0-9a-f]{32}:0$/);
    expect(await app.status(instanceId)).toMatchObject({ name: "leaf", runtimeStatus: "Completed" });
  });

  test("has the id it was given", async () => {
    const child = freshId("child");
    const { output } = await app.run("parent", { input: { value: 1 }, id: child });
    expect(output).toMatchObject({ instanceId: child });
  });

  test("can have sub-orchestrations of its own", async () => {
    const id = await app.start("grandparent", { input: { value: 7 } });
    const { parentInstanceId, value } = (await app.finished(id)).output as Leaf;
    expect(value).toBe(7);
    expect(parentInstanceId).not.toBe(id);
    expect(app.orchestration(parentInstanceId ?? "").parent?.instanceId).toBe(id);
  });

  test("that fails can be caught, with what it threw", async () => {
    const { output } = await app.run("catching-parent", { input: { fails: "no luck" } });
    expect(output).toEqual({
      caught: containing("Orchestrator function 'leaf' failed: leaf: no luck"),
      after: "went on",
    });
  });

  test("that fails and is not caught fails its parents up to the first", async () => {
    const status = await app.run("grandparent", { input: { fails: "no luck" } });
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("leaf: no luck");
  });

  test("that is terminated fails its parent's call", async () => {
    const child = freshId("child");
    const id = await app.start("catching-parent", { input: { waits: "go" }, id: child });
    await app.host.idle();
    await app.client("terminate", child, "enough");
    expect((await app.finished(id)).output).toMatchObject({ caught: containing("enough") });
  });

  test("goes on when its parent is terminated", async () => {
    const child = freshId("child");
    const id = await app.start("parent", { input: { waits: "go", value: 1 }, id: child });
    await app.host.idle();
    await app.client("terminate", id, "enough");
    await app.finished(id);
    await app.raise(child, "go");
    expect((await app.finished(child)).runtimeStatus).toBe("Completed");
  });

  test("of a function that does not exist fails the orchestration, which says what there is", async () => {
    const status = await app.run("catching-parent", { name: "leav" });
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("The function 'leav' doesn't exist");
    expect(status.output).toContain("'leaf'");
  });

  test("gets an event raised to it while its parent waits", async () => {
    const child = freshId("child");
    const id = await app.start("parent", { input: { waits: "go", value: 3 }, id: child });
    await app.host.idle();
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    await app.raise(child, "go");
    expect((await app.finished(id)).output).toMatchObject({ value: 3 });
  });

  test("can be one of many", async () => {
    const { output } = await app.run(
      "family",
      Array.from({ length: 30 }, (_, value) => ({ value })),
    );
    expect(output).toEqual(Array.from({ length: 30 }, (_, value) => value));
  });
});

describe("an id for a sub-orchestration", () => {
  test("that is running already fails the call, and leaves the one that runs alone", async () => {
    const taken = await app.start("waits", { event: "go" });
    await app.host.idle();
    const { output } = await app.run("catching-parent", { input: { value: 1 }, id: taken });
    expect(output).toEqual({
      caught: containing(`An orchestration with the id '${taken}' is already running`),
      after: "went on",
    });
    await app.raise(taken, "go", "still here");
    expect((await app.finished(taken)).output).toBe("still here");
  });

  test("that has finished is run again", async () => {
    const child = await app.start("chain", { names: ["Ada"] });
    await app.finished(child);
    const { output } = await app.run("parent", { input: { value: "again" }, id: child });
    expect(output).toMatchObject({ instanceId: child, value: "again" });
  });

  test("given to two at once goes to the first, and the second fails", async () => {
    const child = freshId("child");
    const { output } = await app.run("family", [
      { id: child, value: "one" },
      { id: child, value: "other" },
    ]);
    expect(output).toEqual(["one", containing("is already running")]);
  });

  test("asked for by several orchestrations at once goes to one of them", async () => {
    const child = freshId("child");
    const parents = await Promise.all(
      Array.from({ length: 8 }, () => app.start("catching-parent", { input: { waits: "go" }, id: child })),
    );
    await app.host.idle();
    await app.raise(child, "go");
    const outputs = await Promise.all(parents.map(async (id) => (await app.finished(id)).output));
    expect(outputs.filter((output) => "ok" in (output as object))).toHaveLength(1);
  });

  test.each(["@counter@k", "a/b", "x".repeat(300)])(
    "that cannot be one (%s) fails the orchestration",
    async (id) => {
      const status = await app.run("catching-parent", { input: {}, id });
      expect(status.runtimeStatus).toBe("Failed");
      expect(status.output).toContain("An instance id");
    },
  );

  test("that is its own fails the call", async () => {
    const id = freshId("self");
    const { output } = await app.run("catching-parent", { input: {}, id }, id);
    expect(output).toMatchObject({ caught: containing("is already running") });
  });
});
