import type { TransactionAction } from "@azure/data-tables";
import { beforeEach, expect, test } from "vitest";

import { collect } from "../../support/collect.ts";
import { newContainer, newTable } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";

const held = proxyForFile();
const key = { partitionKey: "p", rowKey: "o'r %" };

beforeEach(() => held.proxy.resetCounts());

/** Only what is not zero. */
function counted(): Record<string, Record<string, number>> {
  const { table, blob, batched } = held.proxy.counts();
  const some = (counts: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return { table: some(table), blob: some(blob), batched: some(batched) };
}

test("fault proxy: counts: every table operation by its kind, exactly", async () => {
  const table = await newTable(held.proxy.connectionString);
  await table.createEntity({ ...key, n: 1 });
  await table.updateEntity({ ...key, n: 2 }, "Replace");
  await table.upsertEntity({ ...key, n: 3 }, "Replace");
  await table.updateEntity({ ...key, n: 4 }, "Merge");
  expect(await table.getEntity(key.partitionKey, key.rowKey)).toMatchObject({ ...key, n: 4 });
  await collect(table.listEntities());
  await table.deleteEntity(key.partitionKey, key.rowKey);
  await table.deleteTable();
  expect(counted()).toEqual({
    table: { createTable: 1, insert: 1, update: 2, merge: 1, get: 1, query: 1, delete: 1, deleteTable: 1 },
    blob: {},
    batched: {},
  });
});

test("fault proxy: counts: a transaction is one batch, and its operations are counted beside it", async () => {
  const table = await newTable(held.proxy.connectionString);
  const row = (n: number): { partitionKey: string; rowKey: string } => ({
    partitionKey: "p",
    rowKey: `${n}`,
  });
  await table.submitTransaction(
    Array.from({ length: 98 }, (_, n): TransactionAction => [
      "create",
      { ...row(n), text: "--changeset_x\r\n" },
    ]),
  );
  await table.submitTransaction([
    ["update", row(1), "Merge"],
    ["update", row(2), "Replace"],
    ["delete", row(3)],
  ]);
  expect(counted()).toEqual({
    table: { createTable: 1, batch: 2 },
    blob: {},
    batched: { insert: 98, merge: 1, update: 1, delete: 1 },
  });
  expect(await collect(table.listEntities())).toHaveLength(97);
});

test("fault proxy: counts: the operations of each table are counted apart", async () => {
  const [one, two] = await Promise.all([
    newTable(held.proxy.connectionString),
    newTable(held.proxy.connectionString),
  ]);
  await one.createEntity(key);
  await two.submitTransaction([["create", key]]);
  await two.getEntity(key.partitionKey, key.rowKey);
  const { byTable } = held.proxy.counts();
  expect(byTable[one.tableName]).toMatchObject({ createTable: 1, insert: 1, batch: 0 });
  expect(byTable[two.tableName]).toMatchObject({ createTable: 1, insert: 0, batch: 1, get: 1 });
});

test("fault proxy: counts: every blob operation by its kind, exactly", async () => {
  const container = await newContainer(held.proxy.connectionString);
  const blob = container.getBlockBlobClient("folder/b ü");
  const bytes = Buffer.alloc(2_000_000, "x");
  await blob.upload(bytes, bytes.length);
  expect((await blob.downloadToBuffer(0, 10)).toString()).toBe("xxxxxxxxxx");
  await blob.uploadData(bytes, { blockSize: 1_000_000, maxSingleShotSize: 1 });
  await blob.getProperties();
  await collect(container.listBlobsFlat());
  await blob.getBlobLeaseClient().acquireLease(15);
  await blob.getBlobLeaseClient().breakLease(0);
  await blob.delete();
  await container.delete();
  expect(counted()).toEqual({
    table: {},
    blob: {
      createContainer: 1,
      put: 1,
      get: 1,
      putBlock: 2,
      putBlockList: 1,
      head: 1,
      list: 1,
      lease: 2,
      delete: 1,
      deleteContainer: 1,
    },
    batched: {},
  });
});

test("fault proxy: counts: 200 operations at once are counted to the last", async () => {
  const table = await newTable(held.proxy.connectionString);
  await Promise.all(
    Array.from({ length: 200 }, (_, n) => table.createEntity({ partitionKey: `${n}`, rowKey: "r" })),
  );
  expect(counted()["table"]).toEqual({ createTable: 1, insert: 200 });
});
