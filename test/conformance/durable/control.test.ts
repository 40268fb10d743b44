import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { DurableHost, freshId, type Status } from "../../support/durable-host.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterEach(() => channel.clear());
afterAll(() => app.stop());

async function inStatus(id: string, status: string): Promise<void> {
  await app.host.waitFor(id, (found) => found?.kind === "orchestration" && found.status === status);
}

describe("suspending an orchestration", () => {
  test("keeps what comes to it until it is resumed", async () => {
    const id = await app.start("collects", { count: 2 });
    await app.raise(id, "item", 1);
    await app.host.idle();
    await app.client("suspend", id, "wait");
    await inStatus(id, "Suspended");
    await app.raise(id, "item", 2);
    await app.host.idle();
    expect(await app.status(id)).toMatchObject({
      runtimeStatus: "Suspended",
      customStatus: { collected: 1 },
    });
    await app.client("resume", id, "on");
    expect((await app.finished(id)).output).toEqual([1, 2]);
  });

  test("holds back timers and activities that come to an end meanwhile", async () => {
    const id = await app.start("with-deadline", { call: { name: "quick" }, milliseconds: 1000 });
    await app.finished(id);
    channel.hold("held back");
    const held = await app.start("with-deadline", { call: { name: "held back" }, milliseconds: 1000 });
    await channel.reports("held", 2);
    await app.client("suspend", held, "wait");
    await inStatus(held, "Suspended");
    channel.release("held back");
    await app.host.advance(5000);
    expect((await app.status(held)).runtimeStatus).toBe("Suspended");
    await app.client("resume", held, "on");
    expect((await app.finished(held)).output).toEqual({ inTime: "held back", after: "went on" });
  });

  test("twice, and resuming twice, does no harm", async () => {
    const id = await app.start("waits", { event: "go" });
    for (const operation of ["suspend", "suspend", "resume", "resume"]) {
      expect((await app.manage("POST", `instances/${id}/${operation}?reason=r`)).status).toBe(202);
    }
    await app.raise(id, "go", 1);
    expect((await app.finished(id)).output).toBe(1);
  });
});

describe("terminating an orchestration", () => {
  test("ends it at once, with the reason for an output", async () => {
    const id = await app.start("waits", { event: "go" });
    await app.host.idle();
    await app.client("terminate", id, "enough");
    expect(await app.finished(id)).toMatchObject({ runtimeStatus: "Terminated", output: "enough" });
    expect(await app.raise(id, "go")).toBe(410);
  });

  test("ends it while it is suspended too", async () => {
    const id = await app.start("waits", { event: "go" });
    await app.client("suspend", id, "wait");
    await inStatus(id, "Suspended");
    await app.client("terminate", id, "enough");
    expect((await app.finished(id)).runtimeStatus).toBe("Terminated");
  });

  test("leaves activities that run without effect on it", async () => {
    channel.hold("late");
    const id = await app.start("all-of", { calls: [{ name: "late" }] });
    await channel.reports("held");
    await app.client("terminate", id, "enough");
    await app.finished(id);
    channel.release("late");
    await app.host.idle();
    expect(await app.status(id)).toMatchObject({ runtimeStatus: "Terminated", output: "enough" });
  });

  test("silences its timers", async () => {
    const id = await app.start("sleeps", [1000]);
    await app.host.idle();
    await app.client("terminate", id, "enough");
    await app.host.advance(2000);
    expect((await app.status(id)).runtimeStatus).toBe("Terminated");
  });
});

describe.each(["terminate", "suspend", "resume"])("%s", (operation) => {
  test("of what has finished answers 410, which the client takes for success", async () => {
    const id = await app.start("chain", { names: [] });
    await app.finished(id);
    expect((await app.manage("POST", `instances/${id}/${operation}?reason=r`)).status).toBe(410);
    expect(await app.client(operation, id, "r")).toBeUndefined();
  });

  test("of what does not exist answers 404, which the client takes for an error", async () => {
    expect((await app.manage("POST", `instances/nobody/${operation}?reason=r`)).status).toBe(404);
    await expect(app.client(operation, "nobody", "r")).rejects.toThrow("No instance with ID 'nobody' found.");
  });
});

describe("starting an orchestration", () => {
  test("under the id of one that runs is an error that says so", async () => {
    const id = await app.start("waits", { event: "go" });
    await app.host.idle();
    const response = await app.manage("POST", `orchestrators/chain/${id}`, {});
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      Message: "Something went wrong while processing your request",
      ExceptionMessage: "An Orchestration instance with the status Running already exists.",
      ExceptionType: "System.InvalidOperationException",
    });
    await expect(app.client("startNew", "chain", { instanceId: id })).rejects.toThrow(
      "unexpected status code: 500",
    );
    await app.raise(id, "go", "unharmed");
    expect((await app.finished(id)).output).toBe("unharmed");
  });

  test("under the id of one that has finished runs it again", async () => {
    const id = await app.start("chain", { names: ["Ada"] });
    await app.finished(id);
    await app.start("chain", { names: ["Grace"] }, id);
    expect((await app.finished(id)).output).toEqual(["hello Grace"]);
  });

  test("many times at once under one id starts it once", async () => {
    const id = freshId("once");
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => app.manage("POST", `orchestrators/waits/${id}`, { event: "go" })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => status === 500)).toHaveLength(9);
    await app.raise(id, "go");
    await app.finished(id);
  });

  test("of a function that does not exist answers 400 and says what there is", async () => {
    const response = await app.manage("POST", "orchestrators/chian", {});
    expect(response.status).toBe(400);
    const { ExceptionMessage } = (await response.json()) as { ExceptionMessage: string };
    expect(ExceptionMessage).toContain("The function 'chian' doesn't exist");
    expect(ExceptionMessage).toContain("'chain'");
  });

  test.each([["@counter@k"], ["a%2Fb"], ["a%23b"], ["a%3Fb"], ["a%09b"], ["x".repeat(257)]])(
    "under the id %s answers 400",
    async (id) => {
      expect((await app.manage("POST", `orchestrators/chain/${id}`, {})).status).toBe(400);
    },
  );

  test("without an id makes one up", async () => {
    const response = await app.manage("POST", "orchestrators/chain", { names: [] });
    const { id } = (await response.json()) as { id: string };
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect((await app.finished(id)).output).toEqual([]);
  });
});

describe("restarting an orchestration", () => {
  test("runs it again with its input under a new id", async () => {
    const id = await app.start("chain", { names: ["Ada"] });
    await app.finished(id);
    const response = await app.manage("POST", `instances/${id}/restart`);
    expect(response.status).toBe(202);
    const again = ((await response.json()) as Record<string, string>)["id"] ?? "";
    expect(again).not.toBe(id);
    expect(await app.finished(again)).toMatchObject({ name: "chain", output: ["hello Ada"] });
  });

  test("runs it again under its own id when asked to", async () => {
    const id = await app.start("chain", { names: ["Ada"] });
    await app.finished(id);
    await app.host.advance(1000);
    const response = await app.manage("POST", `instances/${id}/restart?restartWithNewInstanceId=false`);
    expect(((await response.json()) as Record<string, string>)["id"]).toBe(id);
    const status = await app.finished(id);
    expect(status.output).toEqual(["hello Ada"]);
    expect(Date.parse(status.createdTime)).toBe(app.clock.now());
  });

  test("under its own id while it runs is an error", async () => {
    const id = await app.start("waits", { event: "go" });
    const response = await app.manage("POST", `instances/${id}/restart?restartWithNewInstanceId=false`);
    expect(response.status).toBe(500);
    await app.raise(id, "go");
    await app.finished(id);
  });

  test("that does not exist answers 400", async () => {
    expect((await app.manage("POST", "instances/nobody/restart")).status).toBe(400);
  });
});

describe("rewinding an orchestration", () => {
  test("is something this host does not do, and says so", async () => {
    const id = await app.start("throws", { thrown: "x" });
    await app.finished(id);
    const response = await app.manage("POST", `instances/${id}/rewind?reason=r`);
    expect(response.status).toBe(501);
    await expect(app.client("rewind", id, "r")).rejects.toThrow("does not rewind");
  });

  test("that does not exist answers 404", async () => {
    expect((await app.manage("POST", "instances/nobody/rewind?reason=r")).status).toBe(404);
  });
});

describe("purging", () => {
  test("removes one that has finished", async () => {
    const id = await app.start("chain", { names: [] });
    await app.finished(id);
    expect(await app.client("purgeInstanceHistory", id)).toEqual({ instancesDeleted: 1 });
    expect((await app.manage("GET", `instances/${id}`)).status).toBe(404);
    expect(await app.client("purgeInstanceHistory", id)).toEqual({ instancesDeleted: 0 });
  });

  test("does not remove one that runs", async () => {
    const id = await app.start("waits", { event: "go" });
    expect(await app.client("purgeInstanceHistory", id)).toEqual({ instancesDeleted: 0 });
    await app.raise(id, "go");
    expect((await app.finished(id)).runtimeStatus).toBe("Completed");
  });

  test("by filter removes what has finished, of that time and in that state, and nothing else", async () => {
    await app.host.advance(60_000);
    const from = new Date(app.clock.now()).toISOString();
    const completed = await app.start("chain", { names: [] });
    const failed = await app.start("throws", { thrown: "x" });
    const running = await app.start("waits", { event: "go" });
    await app.finished(completed);
    await app.finished(failed);
    const by = (statuses?: string[]) =>
      app.client("purgeInstanceHistoryBy", {
        createdTimeFrom: from,
        ...(statuses && { runtimeStatus: statuses }),
      });
    expect(await by(["Failed"])).toEqual({ instancesDeleted: 1 });
    expect((await app.manage("GET", `instances/${failed}`)).status).toBe(404);
    expect((await app.status(completed)).runtimeStatus).toBe("Completed");
    expect(await by(["Running"])).toEqual({ instancesDeleted: 0 });
    expect(await by()).toEqual({ instancesDeleted: 1 });
    expect(await by()).toEqual({ instancesDeleted: 0 });
    await app.raise(running, "go");
    expect((await app.finished(running)).runtimeStatus).toBe("Completed");
  });

  test("by filter needs to be told from when on", async () => {
    expect((await app.manage("DELETE", "instances?runtimeStatus=Completed")).status).toBe(400);
    expect((await app.manage("DELETE", "instances?createdTimeFrom=yesterday")).status).toBe(400);
  });
});

test("what a client is told is what the management API shows", async () => {
  const id = await app.start("chain", { names: ["Ada"] });
  const raw = await app.finished(id);
  const told = (await app.client("getStatus", id)) as Status;
  expect(told).toMatchObject({
    name: "chain",
    instanceId: id,
    runtimeStatus: "Completed",
    output: raw.output,
    createdTime: raw.createdTime,
    lastUpdatedTime: raw.lastUpdatedTime,
  });
});
