import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { DurableHost } from "../../support/durable-host.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
const hour = 3_600_000;
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterEach(() => channel.clear());
afterAll(() => app.stop());

describe("an orchestrator that changes its mind between episodes", () => {
  test.each([
    {
      into: "another activity",
      said: "activity 'echo' as step 0, but replaying it gives activity 'type-of'",
    },
    { into: "another kind of step", said: "activity 'echo' as step 0, but replaying it gives a timer" },
    {
      into: "another sub-orchestration",
      said: "sub-orchestration 'leaf' as step 0, but replaying it gives sub-orchestration 'returns-nothing'",
    },
    {
      into: "another entity",
      said: "a message to @counter@mood-1 as step 0, but replaying it gives a message to @counter@mood-2",
    },
    { into: "nothing at all", said: "activity 'echo' as step 0, but replaying it gives activity 'nothing'" },
  ])("into $into fails, and is told where", async ({ into, said }) => {
    await app.run("resets-mood");
    const status = await app.run("changes-its-mind", { into });
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("Non-deterministic orchestrator");
    expect(status.output).toContain(said);
  });

  test("only in what it hands to the same steps is not found out, as on the platform", async () => {
    expect(await app.run("changes-inputs")).toMatchObject({ runtimeStatus: "Completed", output: 3 });
  });
});

describe("a pattern that the platform would corrupt", () => {
  test("is refused: Task.all of retried calls, one of which gives up while another goes on", async () => {
    const id = await app.start("corrupting-all");
    await app.host.advance(hour);
    const status = await app.status(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("would be corrupted on Azure");
    expect(status.output).toContain("sub-orchestration that catches its failure");
  });

  test("is refused: Task.any of retried calls, one of which had failed when the timer was cancelled", async () => {
    const id = "corrupting-any-1";
    channel.hold(id);
    await app.start("corrupting-any", null, id);
    await channel.reports("held-flaky");
    await app.host.waitFor(id, (found) => {
      return found?.kind === "orchestration" && Object.keys(found.timers).length === 2;
    });
    channel.release(id);
    const status = await app.finished(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toMatch(/would be corrupted on Azure|Non-deterministic orchestrator/);
  });

  test("is refused: a retried call that lost a race and is waited for again", async () => {
    const id = await app.start("corrupting-reuse");
    await app.host.advance(hour);
    const status = await app.status(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toMatch(/would be corrupted on Azure|Non-deterministic orchestrator/);
  });
});

describe("a pattern that is safe", () => {
  test("is not refused: retries inside sub-orchestrations that catch their failure", async () => {
    const id = await app.start("safe-all");
    await app.host.advance(hour);
    expect((await app.status(id)).output).toEqual([[false, true], "next"]);
  });

  test("is not refused: retried calls side by side that succeed in the end", async () => {
    const id = await app.start("safe-retries", { times: [2, 0, 3], attempts: 5 });
    await app.host.advance(hour);
    expect(await app.status(id)).toMatchObject({ runtimeStatus: "Completed", output: "next" });
  });

  test("is not refused: retried calls side by side whose failure ends the orchestration", async () => {
    const id = await app.start("safe-retries", { times: [9, 1, 9], attempts: 3 });
    await app.host.advance(hour);
    const status = await app.status(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("attempt 3");
  });

  test("is not refused: a plain activity that lost a race and is waited for again", async () => {
    const id = "raced-again-1";
    channel.hold(id);
    await app.start("raced-again", null, id);
    await channel.reports("held");
    await app.clock.advanceSettling(1000, () => Promise.resolve());
    channel.release(id);
    expect((await app.finished(id)).output).toBe("worked");
  });
});
