import { odata, type TableClient, type TransactionAction } from "@azure/data-tables";
import { beforeAll, expect, test } from "vitest";

import { collect } from "../../support/collect.ts";
import { newTable } from "../../support/storage-clients.ts";
import { storageForFile } from "../../support/storage-under-test.ts";

const held = storageForFile();
let table: TableClient;

beforeAll(async () => {
  table = await newTable(held.storage.connectionString);
  for (const partitionKey of ["a", "b", "c"]) {
    await table.submitTransaction(
      Array.from({ length: 50 }, (_, n): TransactionAction => {
        const rowKey = String(n).padStart(3, "0");
        return ["create", { partitionKey, rowKey, n, even: n % 2 === 0, ...(n < 10 && { low: `o'${n}` }) }];
      }),
    );
  }
});

const keys = async (filter: string): Promise<string[]> =>
  (await collect(table.listEntities({ queryOptions: { filter } }))).map(
    ({ partitionKey, rowKey }) => `${partitionKey}${rowKey}`,
  );

// https://learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities
test("tables: query: a range of row keys in one partition comes in the order of the keys", async () => {
  expect(await keys(odata`PartitionKey eq ${"b"} and RowKey ge ${"010"} and RowKey lt ${"013"}`)).toEqual([
    "b010",
    "b011",
    "b012",
  ]);
});

test("tables: query: filters by properties, quotes literals, and skips rows without the property", async () => {
  expect(await keys(odata`PartitionKey eq ${"a"} and n gt ${45} and even eq ${true}`)).toEqual([
    "a046",
    "a048",
  ]);
  expect(await keys(odata`low eq ${"o'3"}`)).toEqual(["a003", "b003", "c003"]);
  expect(await keys(odata`PartitionKey eq ${"a"} and low ne ${"x"}`)).toHaveLength(10);
});

test("tables: query: pages lead through all rows, and a token resumes in another iterator", async () => {
  const first = table.listEntities().byPage({ maxPageSize: 40 });
  const pages: { length: number; continuationToken?: string }[] = [];
  for await (const page of first) pages.push(page);
  expect(pages.map(({ length }) => length)).toEqual([40, 40, 40, 30]);
  const continuationToken = pages[1]?.continuationToken ?? "";
  const rest = await collect(table.listEntities().byPage({ maxPageSize: 1000, continuationToken }));
  expect(rest.flat()).toHaveLength(70);
});

test("tables: query: a projection brings only what it names, and the etag still", async () => {
  const queryOptions = { filter: "PartitionKey eq 'a' and RowKey eq '001'", select: ["n", "absent"] };
  const [row] = await collect(table.listEntities({ queryOptions }));
  expect(row).toMatchObject({ n: 1 });
  expect(row?.etag).toBeTruthy();
  expect(row).not.toHaveProperty("even");
});
