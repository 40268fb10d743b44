import type { TableClient } from "@azure/data-tables";
import { afterEach, beforeEach, expect, test } from "vitest";

import { collect } from "../../support/collect.ts";
import {
  newContainer,
  newTable,
  noRetries,
  refusal,
  tableNamed,
  tally,
} from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";

const time = { now: 0 };
const held = proxyForFile(time);
const key = { partitionKey: "p", rowKey: "r" };
const table = (options?: Parameters<typeof newTable>[1]): Promise<TableClient> =>
  newTable(held.proxy.connectionString, options);

beforeEach(() => held.proxy.resetCounts());
afterEach(() => held.proxy.rules.clear());

test("fault proxy: busy: answers 503 ServerBusy as often as it says, and the client tries again", async () => {
  const client = await table();
  const rule = held.proxy.rules.add({ match: { kind: "insert" }, times: 2, fault: { kind: "busy" } });
  await client.createEntity({ ...key, n: 1 });
  expect(rule.hits).toBe(2);
  expect(held.proxy.counts()).toMatchObject({ table: { insert: 3 }, faults: 2 });
});

test("fault proxy: busy: carries Retry-After, and applies nothing", async () => {
  const client = await table(noRetries);
  held.proxy.rules.add({ match: {}, times: 1, fault: { kind: "busy", retryAfterSeconds: 7 } });
  const failing = client.createEntity(key);
  expect(await refusal(failing)).toEqual({ status: 503, code: "ServerBusy" });
  const { response } = (await failing.catch((error: unknown) => error)) as {
    response: { headers: { get(name: string): string } };
  };
  expect(response.headers.get("retry-after")).toBe("7");
  expect(await collect(client.listEntities())).toEqual([]);
});

test("fault proxy: busy: blobs get it in their own shape, also while they still send", async () => {
  const container = await newContainer(held.proxy.connectionString, { retryOptions: { maxTries: 1 } });
  const blob = container.getBlockBlobClient("b");
  held.proxy.rules.add({
    match: { service: "blob", kind: ["put", "get"] },
    times: 2,
    fault: { kind: "busy" },
  });
  const bytes = Buffer.alloc(5_000_000);
  expect(await refusal(blob.upload(bytes, bytes.length))).toEqual({ status: 503, code: "ServerBusy" });
  expect(await refusal(blob.download())).toEqual({ status: 503, code: "ServerBusy" });
  await blob.upload(bytes, bytes.length);
});

test("fault proxy: timed out: answers 500 OperationTimedOut", async () => {
  const client = await table(noRetries);
  held.proxy.rules.add({ match: {}, times: 1, fault: { kind: "timed-out" } });
  expect(await refusal(client.createEntity(key))).toEqual({ status: 500, code: "OperationTimedOut" });
});

test("fault proxy: reset: the connection breaks before anything is applied", async () => {
  const client = await table(noRetries);
  held.proxy.rules.add({ match: { kind: "insert" }, times: 1, fault: { kind: "reset" } });
  expect(await refusal(client.createEntity(key))).toEqual({ status: undefined, code: "ECONNRESET" });
  await client.createEntity(key);
});

test.each(["reset", "busy"] as const)(
  "fault proxy: lost acknowledgement (%s): a retried insert is refused 409 though the row is our own",
  async (answer) => {
    const client = await table();
    held.proxy.rules.add({
      match: { kind: "insert", rowKey: "r" },
      times: 1,
      fault: { kind: "lost-acknowledgement", answer },
    });
    expect(await refusal(client.createEntity({ ...key, owner: "me" }))).toEqual({
      status: 409,
      code: "EntityAlreadyExists",
    });
    expect(await client.getEntity("p", "r")).toMatchObject({ owner: "me" });
    expect(held.proxy.counts()).toMatchObject({ table: { insert: 2 }, faults: 1 });
  },
);

test.each(["reset", "busy"] as const)(
  "fault proxy: lost acknowledgement (%s): a retried conditional update is refused 412 though it was applied",
  async (answer) => {
    const client = await table();
    const { etag = "" } = await client.createEntity({ ...key, n: 1 });
    held.proxy.rules.add({
      match: { kind: "merge" },
      times: 1,
      fault: { kind: "lost-acknowledgement", answer },
    });
    expect(await refusal(client.updateEntity({ ...key, n: 2 }, "Merge", { etag }))).toEqual({
      status: 412,
      code: "UpdateConditionNotSatisfied",
    });
    expect(await client.getEntity("p", "r")).toMatchObject({ n: 2 });
  },
);

test("fault proxy: lost acknowledgement: a retried transaction is refused 409 though it was committed", async () => {
  const client = await table();
  held.proxy.rules.add({
    match: { kind: "batch", resource: client.tableName, partitionKey: "p" },
    times: 1,
    fault: { kind: "lost-acknowledgement", answer: "reset" },
  });
  const failing = client.submitTransaction([["create", key]]);
  expect(await refusal(failing)).toEqual({ status: 409, code: "EntityAlreadyExists" });
  expect(await client.getEntity("p", "r")).toMatchObject(key);
});

test("fault proxy: lost acknowledgement: a blob whose upload seemed to fail is stored", async () => {
  const container = await newContainer(held.proxy.connectionString, { retryOptions: { maxTries: 1 } });
  const blob = container.getBlockBlobClient("b");
  held.proxy.rules.add({
    match: { kind: "put", resource: container.containerName, blob: "b" },
    times: 1,
    fault: { kind: "lost-acknowledgement", answer: "busy" },
  });
  expect(await refusal(blob.upload("stored", 6))).toEqual({ status: 503, code: "ServerBusy" });
  expect((await blob.downloadToBuffer()).toString()).toBe("stored");
});

test("fault proxy: empty pages: carry a token without a row key, and the rest of the query comes after them", async () => {
  const client = await table();
  for (let n = 0; n < 6; n += 1) await client.createEntity({ partitionKey: "p'", rowKey: `${n}`, n });
  held.proxy.rules.add({ match: { kind: "query" }, times: 2, fault: { kind: "empty-page" } });
  held.proxy.rules.add({ match: { kind: "query" }, skip: 1, times: 1, fault: { kind: "empty-page" } });
  const pages: number[][] = [];
  const queryOptions = { filter: "PartitionKey eq 'p'''" };
  for await (const page of client.listEntities<{ n: number }>({ queryOptions }).byPage({ maxPageSize: 2 })) {
    pages.push(page.map(({ n }) => n));
  }
  expect(pages).toEqual([[], [], [0, 1], [], [2, 3], [4, 5]]);
  const all = await collect(client.listEntities({ queryOptions }));
  expect(all).toHaveLength(6);
});

test("fault proxy: rate: what exceeds it within a second is answered 503, the next second is free again", async () => {
  const client = await table(noRetries);
  held.proxy.rules.add({ match: { kind: "insert" }, fault: { kind: "rate", perSecond: 5 } });
  const inserts = (second: number): Promise<unknown>[] =>
    Array.from({ length: 8 }, (_, n) => client.createEntity({ partitionKey: `${second}-${n}`, rowKey: "r" }));
  expect(await tally(inserts(1))).toEqual({ ok: 5, "503 ServerBusy": 3 });
  time.now += 1000;
  expect(await tally(inserts(2))).toEqual({ ok: 5, "503 ServerBusy": 3 });
});

test("fault proxy: delay: the operation waits and is then applied; another fault may follow", async () => {
  const client = await table();
  held.proxy.rules.add({ match: { kind: "insert" }, times: 1, fault: { kind: "delay", milliseconds: 150 } });
  const began = performance.now();
  await client.createEntity(key);
  expect(performance.now() - began).toBeGreaterThanOrEqual(140);
  expect(held.proxy.counts().faults).toBe(0);
});

test("fault proxy: random faults: the same seed breaks the same operations, another breaks others", async () => {
  const client = await table(noRetries);
  const outcomes = async (seed: number): Promise<string> => {
    const rule = held.proxy.rules.add({
      match: { kind: "update" },
      probability: 0.3,
      seed,
      fault: { kind: "busy" },
    });
    let marks = "";
    for (let n = 0; n < 60; n += 1) {
      marks += await client.upsertEntity({ ...key, n }, "Replace").then(
        () => ".",
        () => "x",
      );
    }
    expect(rule.hits).toBe(marks.replaceAll(".", "").length);
    rule.remove();
    return marks;
  };
  const first = await outcomes(7);
  expect(first).toContain("x");
  expect(first).toContain(".");
  expect(await outcomes(7)).toBe(first);
  expect(await outcomes(8)).not.toBe(first);
});

test("fault proxy: matching: a rule touches only what it names", async () => {
  const one = await table(noRetries);
  const two = await table(noRetries);
  held.proxy.rules.add({ match: { resource: one.tableName, partitionKey: "hot" }, fault: { kind: "busy" } });
  expect(await refusal(one.createEntity({ partitionKey: "hot", rowKey: "r" }))).toMatchObject({
    status: 503,
  });
  await one.createEntity({ partitionKey: "cold", rowKey: "r" });
  await two.createEntity({ partitionKey: "hot", rowKey: "r" });
});

test("fault proxy: signatures: a wrong account key is refused through it as without it", async () => {
  const wrong = held.proxy.connectionString.replace("AccountKey=Eby8", "AccountKey=Xby8");
  expect(await refusal(tableNamed(wrong, "any", noRetries).createEntity(key))).toMatchObject({ status: 403 });
});
