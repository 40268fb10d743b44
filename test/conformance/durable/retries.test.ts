import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { eventType } from "../../../local/host/durable/history.ts";
import { DurableHost, freshId } from "../../support/durable-host.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
const hour = 3_600_000;
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
  Object.assign(channel, { now: () => app.clock.now() });
});
afterEach(() => channel.clear());
afterAll(() => app.stop());

/** When each attempt ran, in milliseconds after the first. */
function attempts(): number[] {
  const times = channel.reported("flaky") as number[];
  return times.map((time) => time - (times[0] ?? 0));
}

describe("an activity with retries", () => {
  test("that succeeds at once is called once", async () => {
    const policy = { first: 1000, attempts: 3 };
    const { output } = await app.run("retries", { key: freshId("k"), times: 0, policy });
    expect(output).toEqual([expect.stringContaining("after 0 failures"), "then"]);
    expect(attempts()).toEqual([0]);
  });

  test("is called again after an interval that grows up to a cap", async () => {
    const policy = { first: 1000, attempts: 8, backoff: 2, cap: 10_000 };
    const id = await app.start("retries", { key: freshId("k"), times: 6, policy });
    await app.host.advance(hour);
    expect((await app.status(id)).output).toEqual([expect.stringContaining("after 6 failures"), "then"]);
    expect(attempts()).toEqual([0, 1000, 3000, 7000, 15_000, 25_000, 35_000]);
  });

  test("is called again at a steady interval without a coefficient", async () => {
    const policy = { first: 500, attempts: 4 };
    const id = await app.start("retries", { key: freshId("k"), times: 3, policy });
    await app.host.advance(1499);
    expect(attempts()).toEqual([0, 500, 1000]);
    await app.host.advance(1);
    expect(attempts()).toEqual([0, 500, 1000, 1500]);
    expect(await app.finished(id)).toMatchObject({ runtimeStatus: "Completed" });
  });

  test("that never succeeds fails with its last failure, which can be caught", async () => {
    const key = freshId("k");
    const policy = { first: 1000, attempts: 3 };
    const id = await app.start("retries", { key, times: 9, policy, caught: true });
    await app.host.advance(2000);
    expect((await app.finished(id)).output).toEqual([`Error: attempt 3 of ${key}`, "caught"]);
    expect(attempts()).toEqual([0, 1000, 2000]);
  });

  test("that never succeeds and is not caught fails the orchestration", async () => {
    const key = freshId("k");
    const id = await app.start("retries", { key, times: 9, policy: { first: 1000, attempts: 2 } });
    await app.host.advance(1000);
    expect(await app.finished(id)).toMatchObject({
      runtimeStatus: "Failed",
      output: `Orchestrator function 'retries' failed: Error: attempt 2 of ${key}`,
    });
  });

  test("whose time for retries is up is refused, for the platform would leave it waiting", async () => {
    const policy = { first: 1000, attempts: 10, timeout: 2500 };
    const id = await app.start("retries", { key: freshId("k"), times: 9, policy, caught: true });
    await app.host.advance(hour);
    const status = await app.status(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("would wait forever on Azure");
    expect(attempts()).toEqual([0, 1000, 2000, 3000]);
  });

  test("allowed a single attempt fails without time passing", async () => {
    const key = freshId("k");
    const status = await app.run("retries", {
      key,
      times: 1,
      policy: { first: 1000, attempts: 1 },
      caught: true,
    });
    expect(status.output).toEqual([`Error: attempt 1 of ${key}`, "caught"]);
  });
});

describe("a sub-orchestration with retries", () => {
  test("gets a new instance for every attempt", async () => {
    const policy = { first: 1000, attempts: 4, backoff: 3 };
    const id = await app.start("retries-child", { key: freshId("k"), times: 2, policy });
    await app.host.advance(3999);
    expect((await app.status(id)).runtimeStatus).toBe("Running");
    await app.host.advance(1);
    const { output } = await app.finished(id);
    expect(output).toEqual([expect.stringContaining("after 2 failures"), "then"]);
    expect(new Set(children(id)).size).toBe(3);
  });

  test("keeps the id it was given, which is run again", async () => {
    const child = freshId("kept");
    const policy = { first: 1000, attempts: 3 };
    const id = await app.start("retries-child", { key: freshId("k"), times: 1, policy, id: child });
    await app.host.advance(1000);
    expect((await app.finished(id)).runtimeStatus).toBe("Completed");
    expect(children(id)).toEqual([child, child]);
    expect(await app.status(child)).toMatchObject({ runtimeStatus: "Completed" });
  });

  test("that never succeeds fails its parent", async () => {
    const key = freshId("k");
    const id = await app.start("retries-child", { key, times: 9, policy: { first: 1000, attempts: 2 } });
    await app.host.advance(1000);
    const status = await app.finished(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain(`attempt 2 of ${key}`);
  });
});

function children(id: string): string[] {
  return app
    .history(id)
    .flatMap((event) =>
      event.EventType === eventType.SubOrchestrationInstanceCreated ? [event.InstanceId] : [],
    );
}
