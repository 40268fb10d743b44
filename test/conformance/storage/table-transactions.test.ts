import type { TableClient, TransactionAction } from "@azure/data-tables";
import { expect, test } from "vitest";

import { collect } from "../../support/collect.ts";
import { newTable, refusal, tally } from "../../support/storage-clients.ts";
import { storageForFile } from "../../support/storage-under-test.ts";

const held = storageForFile();
const table = (): Promise<TableClient> => newTable(held.storage.connectionString);
const row = (n: number): { partitionKey: string; rowKey: string; n: number } => ({
  partitionKey: "p",
  rowKey: `r${n}`,
  n,
});
const creates = (count: number, from = 0): TransactionAction[] =>
  Array.from({ length: count }, (_, n) => ["create", row(from + n)]);
const rowsOf = async (client: TableClient): Promise<number> => (await collect(client.listEntities())).length;

// https://learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions
test("tables: transaction: 100 operations are applied together, each with its own etag", async () => {
  const client = await table();
  const result = await client.submitTransaction(creates(100));
  expect(result.status).toBe(202);
  expect(new Set(result.subResponses.map(({ status }) => status))).toEqual(new Set([204]));
  expect(result.getResponseForEntity("r7")?.etag).toBe((await client.getEntity("p", "r7")).etag);
  expect(await rowsOf(client)).toBe(100);
});

test("tables: transaction: 101 operations answer 400 InvalidInput and apply nothing", async () => {
  const client = await table();
  expect(await refusal(client.submitTransaction(creates(101)))).toEqual({
    status: 400,
    code: "InvalidInput",
  });
  expect(await rowsOf(client)).toBe(0);
});

test("tables: transaction: one failing operation rolls all back and is named by its index", async () => {
  const client = await table();
  await client.createEntity({ ...row(1), kept: "as it was" });
  await client.createEntity(row(2));
  const { etag } = await client.getEntity("p", "r1");
  const failing = client.submitTransaction([
    ["create", row(8)],
    ["update", { ...row(1), kept: "changed" }, "Merge"],
    ["create", row(2)],
    ["create", row(9)],
  ]);
  await expect(failing).rejects.toThrow(/^2:/);
  expect(await refusal(failing)).toEqual({ status: 409, code: "EntityAlreadyExists" });
  expect(await client.getEntity("p", "r1")).toMatchObject({ kept: "as it was", etag });
  expect(await rowsOf(client)).toBe(2);
});

test("tables: transaction: a stale etag of one operation answers 412 and rolls all back", async () => {
  const client = await table();
  const { etag = "" } = await client.createEntity(row(1));
  await client.updateEntity({ ...row(1), n: 2 }, "Merge");
  const failing = client.submitTransaction([
    ["create", row(5)],
    ["update", { ...row(1), n: 3 }, "Merge", { etag }],
  ]);
  expect(await refusal(failing)).toEqual({ status: 412, code: "UpdateConditionNotSatisfied" });
  expect(await refusal(client.getEntity("p", "r5"))).toMatchObject({ status: 404 });
});

test("tables: transaction: a row named twice answers 400 InvalidDuplicateRow", async () => {
  const client = await table();
  const twice = client.submitTransaction([...creates(1), ...creates(1)]);
  expect(await refusal(twice)).toEqual({ status: 400, code: "InvalidDuplicateRow" });
});

test("tables: transaction: mixed creates, merges, replaces, upserts and deletes are applied in one", async () => {
  const client = await table();
  await client.submitTransaction(creates(3));
  await client.submitTransaction([
    ["update", { ...row(0), merged: true }, "Merge"],
    ["update", { partitionKey: "p", rowKey: "r1", replaced: true }, "Replace"],
    ["delete", row(2)],
    ["upsert", row(3), "Merge"],
    ["create", row(4)],
  ]);
  expect(await client.getEntity("p", "r0")).toMatchObject({ n: 0, merged: true });
  expect(await client.getEntity("p", "r1")).not.toHaveProperty("n");
  expect((await collect(client.listEntities())).map(({ rowKey }) => rowKey)).toEqual([
    "r0",
    "r1",
    "r3",
    "r4",
  ]);
});

test("tables: transaction: over 4 MiB answers 413 and applies nothing", async () => {
  const client = await table();
  const wide = "x".repeat(32_000);
  const heavy = Array.from({ length: 70 }, (_, n): TransactionAction => [
    "create",
    { ...row(n), a: wide, b: wide },
  ]);
  expect(await refusal(client.submitTransaction(heavy))).toMatchObject({ status: 413 });
  expect(await rowsOf(client)).toBe(0);
});

test("tables: transaction: 16 at once in one partition are all applied", async () => {
  const client = await table();
  const calls = Array.from({ length: 16 }, (_, n) => client.submitTransaction(creates(10, n * 10)));
  expect(await tally(calls)).toEqual({ ok: 16 });
  expect(await rowsOf(client)).toBe(160);
});
