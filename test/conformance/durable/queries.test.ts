import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { DurableHost, type Status } from "../../support/durable-host.ts";

const minute = 60_000;
let app: DurableHost;
let begun: number;

/** One a minute: even ones complete, every third fails, the rest wait. */
beforeAll(async () => {
  app = await DurableHost.open();
  begun = app.clock.now();
  for (let n = 0; n < 30; n += 1) {
    if (n % 2 === 0) await app.start("chain", { names: [] }, `even-${n}`);
    else if (n % 3 === 0) await app.start("throws", { thrown: "x" }, `third-${n}`);
    else await app.start("waits", { event: "go" }, `wait-${n}`);
    await app.host.advance(minute);
  }
});
afterAll(() => app.stop());

async function query(parameters: string): Promise<string[]> {
  const ids: string[] = [];
  for (let token = ""; ;) {
    const page = await app.manage("GET", `instances?${parameters}`, undefined, {
      "x-ms-continuation-token": token,
    });
    ids.push(...((await page.json()) as Status[]).map(({ instanceId }) => instanceId));
    token = page.headers.get("x-ms-continuation-token") ?? "";
    if (token === "") return ids;
  }
}

function at(n: number): string {
  return new Date(begun + n * minute).toISOString();
}

describe("a query for orchestrations", () => {
  test("finds all, in the order they were created", async () => {
    const ids = await query("");
    expect(ids).toHaveLength(30);
    expect(ids.map((id) => Number(id.split("-")[1]))).toEqual(Array.from({ length: 30 }, (_, n) => n));
  });

  test.each([1, 7, 29, 30, 31])("finds each once in pages of %i", async (top) => {
    expect(await query(`top=${top}`)).toEqual(await query(""));
  });

  test("finds those of a state or of several", async () => {
    const failed = await query("runtimeStatus=Failed");
    expect(failed).toEqual(["third-3", "third-9", "third-15", "third-21", "third-27"]);
    const unfinished = await query("runtimeStatus=running,Pending");
    expect(unfinished).toHaveLength(10);
    expect(await query("runtimeStatus=Running,Failed,Completed&top=4")).toHaveLength(30);
  });

  test("finds those created within a time, ends included", async () => {
    expect(await query(`createdTimeFrom=${at(10)}&createdTimeTo=${at(12)}`)).toEqual([
      "even-10",
      "wait-11",
      "even-12",
    ]);
    expect(await query(`createdTimeFrom=${at(100)}`)).toEqual([]);
  });

  test("finds those whose id begins like that", async () => {
    expect(await query("instanceIdPrefix=wait-1&top=2")).toEqual([
      "wait-1",
      "wait-11",
      "wait-13",
      "wait-17",
      "wait-19",
    ]);
  });

  test("that makes no sense answers 400", async () => {
    expect((await app.manage("GET", "instances?createdTimeTo=tomorrow")).status).toBe(400);
  });

  test("by the client follows the pages to the end", async () => {
    const all = (await app.client("getStatusAll")) as Status[];
    expect(all).toHaveLength(30);
    const some = (await app.client("getStatusBy", {
      createdTimeFrom: at(0),
      createdTimeTo: at(5),
      runtimeStatus: ["Completed"],
    })) as Status[];
    expect(some.map(({ instanceId }) => instanceId)).toEqual(["even-0", "even-2", "even-4"]);
  });

  test("by the client follows more than one page", async () => {
    const ids = Array.from({ length: 250 }, (_, n) => `paged-${String(n).padStart(3, "0")}`);
    for (const id of ids) {
      await app.operations.start({ name: "chain", instanceId: id, input: '{"names":[]}' });
    }
    await app.host.idle();
    const all = (await app.client("getStatusBy", { createdTimeFrom: at(30) })) as Status[];
    expect(all.map(({ instanceId }) => instanceId)).toEqual(ids);
    expect(await app.client("purgeInstanceHistoryBy", { createdTimeFrom: at(30) })).toEqual({
      instancesDeleted: 250,
    });
  });
});

describe("the status of an orchestration", () => {
  test("is 200 when it has finished, 202 with where to ask again while it has not", async () => {
    expect((await app.manage("GET", "instances/even-0")).status).toBe(200);
    const running = await app.manage("GET", "instances/wait-1");
    expect(running.status).toBe(202);
    expect(running.headers.get("retry-after")).toBe("5");
    const location = running.headers.get("location") ?? "";
    expect(((await (await fetch(location)).json()) as Status).instanceId).toBe("wait-1");
  });

  test("of a failed one is 500 only for who asks for that", async () => {
    expect((await app.manage("GET", "instances/third-3")).status).toBe(200);
    const strict = await app.manage("GET", "instances/third-3?returnInternalServerErrorOnFailure=true");
    expect(strict.status).toBe(500);
  });

  test("of one that does not exist is 404, which the client takes for an error", async () => {
    expect((await app.manage("GET", "instances/nobody")).status).toBe(404);
    await expect(app.client("getStatus", "nobody")).rejects.toThrow("HTTP 404");
  });

  test("leaves the input out when asked to", async () => {
    expect((await app.status("even-0")).input).toEqual({ names: [] });
    expect((await app.status("even-0", "showInput=false")).input).toBeNull();
  });

  test("shows the history when asked to, with results when asked to", async () => {
    const id = await app.start("chain", { names: ["Ada"] });
    await app.finished(id);
    expect(await app.status(id)).not.toHaveProperty("historyEvents");
    const plain = await app.status(id, "showHistory=true");
    expect(plain.historyEvents?.map((event) => event["EventType"])).toEqual([
      "ExecutionStarted",
      "TaskCompleted",
      "ExecutionCompleted",
    ]);
    expect(plain.historyEvents?.[1]).toMatchObject({ FunctionName: "hello" });
    expect(plain.historyEvents?.[1]).not.toHaveProperty("Result");
    const full = await app.status(id, "showHistory=true&showHistoryOutput=true");
    expect(full.historyEvents?.[1]).toMatchObject({ FunctionName: "hello", Result: "hello Ada" });
    expect(full.historyEvents?.[2]).toMatchObject({ Result: ["hello Ada"] });
  });

  test("shows in the history what is still under way", async () => {
    const { historyEvents } = await app.status("wait-1", "showHistory=true");
    expect(historyEvents?.map((event) => event["EventType"])).toEqual(["ExecutionStarted"]);
    const id = await app.start("sleeps", [minute]);
    await app.host.idle();
    const sleeping = await app.status(id, "showHistory=true");
    expect(sleeping.historyEvents?.at(-1)).toMatchObject({ EventType: "TimerCreated" });
  });
});
