import { randomUUID } from "node:crypto";

import type { TableClient, TableEntity } from "@azure/data-tables";
import { beforeAll, expect, test } from "vitest";

import { newTable, noRetries, refusal, tableNamed } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";

const held = proxyForFile();
let table: TableClient;

beforeAll(async () => {
  table = await newTable(held.proxy.connectionString, noRetries);
});

const key = (): TableEntity => ({ partitionKey: "p", rowKey: randomUUID() });

/** An entity that Azure counts as so many bytes: properties of text and one of bytes for the rest. */
function entityOf(bytes: number): TableEntity {
  const rowKey = "0".repeat(36);
  let left = bytes - 4 - 2 * ("p".length + rowKey.length);
  const entity: TableEntity = { partitionKey: "p", rowKey };
  for (let n = 10; left > 65_000; n += 1) {
    entity[`t${n}`] = "x".repeat(32_000);
    left -= 8 + 2 * 3 + 4 + 2 * 32_000;
  }
  entity["b"] = new Uint8Array(left - 8 - 2 - 4);
  return entity;
}

// https://learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model
test("fault proxy: limits: an entity of 1 MiB as Azure counts it passes, one byte more answers 400 EntityTooLarge", async () => {
  await table.upsertEntity(entityOf(1024 * 1024), "Replace");
  for (const call of [
    table.upsertEntity(entityOf(1024 * 1024 + 1), "Replace"),
    table.createEntity(entityOf(1024 * 1024 + 1)),
    table.updateEntity(entityOf(1024 * 1024 + 1), "Merge"),
  ].map(refusal)) {
    expect(await call).toEqual({ status: 400, code: "EntityTooLarge" });
  }
});

test("fault proxy: limits: 252 properties pass, 253 answer 400 TooManyProperties", async () => {
  const wide = (count: number): TableEntity => ({
    ...key(),
    ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, new Date(0)])),
  });
  await table.createEntity(wide(252));
  expect(await refusal(table.createEntity(wide(253)))).toEqual({ status: 400, code: "TooManyProperties" });
});

test("fault proxy: limits: property names must be identifiers of at most 255 characters", async () => {
  await table.createEntity({ ...key(), [`_${"x".repeat(254)}`]: 1, größe: 1 });
  expect(await refusal(table.createEntity({ ...key(), ["x".repeat(256)]: 1 }))).toEqual({
    status: 400,
    code: "PropertyNameTooLong",
  });
  for (const name of ["a-b", "1a", "a b", "a.b"]) {
    expect(await refusal(table.createEntity({ ...key(), [name]: 1 }))).toEqual({
      status: 400,
      code: "PropertyNameInvalid",
    });
  }
});

test("fault proxy: limits: keys over 1,024 characters answer 400 KeyValueTooLarge", async () => {
  const long = "k".repeat(1025);
  for (const call of [
    table.createEntity({ partitionKey: long, rowKey: "r" }),
    table.upsertEntity({ partitionKey: "p", rowKey: long }, "Merge"),
    table.getEntity("p", long),
  ].map(refusal)) {
    expect(await call).toEqual({ status: 400, code: "KeyValueTooLarge" });
  }
});

test("fault proxy: limits: forbidden characters in keys answer 400 OutOfRangeInput", async () => {
  for (const bad of ["a/b", "a\\b", "a#b", "a?b", "a\tb", "a\u0085b"]) {
    expect(await refusal(table.createEntity({ partitionKey: "p", rowKey: bad }))).toEqual({
      status: 400,
      code: "OutOfRangeInput",
    });
    expect(await refusal(table.createEntity({ partitionKey: bad, rowKey: "r" }))).toMatchObject({
      status: 400,
    });
  }
});

test("fault proxy: limits: a page of 1,000 may be asked for, one of 1,001 answers 400 InvalidInput", async () => {
  await table.listEntities().byPage({ maxPageSize: 1000 }).next();
  expect(await refusal(table.listEntities().byPage({ maxPageSize: 1001 }).next())).toEqual({
    status: 400,
    code: "InvalidInput",
  });
});

test("fault proxy: limits: table names of other than letters and digits, or of a wrong length, answer 400", async () => {
  const create = (name: string): Promise<void> =>
    tableNamed(held.proxy.connectionString, name, noRetries).createTable();
  for (const [name, code] of [
    ["ab", "OutOfRangeInput"],
    ["a".repeat(64), "OutOfRangeInput"],
    ["1table", "InvalidResourceName"],
    ["with-dash", "InvalidResourceName"],
  ] as const) {
    expect(await refusal(create(name))).toEqual({ status: 400, code });
  }
  await create("abc");
});

test("fault proxy: limits: one operation of a transaction that breaks one is named by its index, and nothing is applied", async () => {
  const first = key();
  held.proxy.resetCounts();
  const failing = table.submitTransaction([
    ["create", first],
    ["create", { ...key(), "a-b": 1 }],
  ]);
  await expect(failing).rejects.toThrow(/^1:/);
  expect(await refusal(failing)).toEqual({ status: 400, code: "PropertyNameInvalid" });
  expect(await refusal(table.getEntity(first.partitionKey ?? "", first.rowKey ?? ""))).toMatchObject({
    status: 404,
  });
  expect(held.proxy.counts()).toMatchObject({ table: { batch: 1 }, refused: 1, faults: 0 });
});
