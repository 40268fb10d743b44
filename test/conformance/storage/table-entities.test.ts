import { expect, test } from "vitest";

import { newTable, refusal, tableNamed, tableService, tally } from "../../support/storage-clients.ts";
import { storageForFile } from "../../support/storage-under-test.ts";

const held = storageForFile();
const table = (): ReturnType<typeof newTable> => newTable(held.storage.connectionString);
const key = { partitionKey: "p", rowKey: "r" };

// https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api
test("tables: insert: stores every type, and a point read gives them back with an etag", async () => {
  const client = await table();
  const entity = {
    ...key,
    text: "ü 😀",
    whole: 5,
    broken: 1.5,
    yes: true,
    big: 5_000_000_000n,
    when: new Date(Date.UTC(2030, 0, 1)),
  };
  await client.createEntity({ ...entity, bytes: new Uint8Array([0, 255]) });
  const read = await client.getEntity<{ bytes: Uint8Array }>("p", "r");
  expect(read).toMatchObject(entity);
  expect([...read.bytes]).toEqual([0, 255]);
  expect(read.etag).toMatch(/^W\/"datetime'/);
  expect(Date.parse(read.timestamp ?? "")).not.toBeNaN();
});

test("tables: insert: an existing key answers 409 EntityAlreadyExists and changes nothing", async () => {
  const client = await table();
  await client.createEntity({ ...key, n: 1 });
  expect(await refusal(client.createEntity({ ...key, n: 2 }))).toEqual({
    status: 409,
    code: "EntityAlreadyExists",
  });
  expect(await client.getEntity("p", "r")).toMatchObject({ n: 1 });
});

test("tables: insert: of 64 at once of one key exactly one succeeds", async () => {
  const client = await table();
  const calls = Array.from({ length: 64 }, (_, owner) => client.createEntity({ ...key, owner }));
  expect(await tally(calls)).toEqual({ ok: 1, "409 EntityAlreadyExists": 63 });
});

test("tables: missing row: get, update and delete answer 404 ResourceNotFound", async () => {
  const client = await table();
  for (const call of [
    client.getEntity("p", "r"),
    client.updateEntity(key, "Merge"),
    client.deleteEntity("p", "r"),
  ].map(refusal)) {
    expect(await call).toEqual({ status: 404, code: "ResourceNotFound" });
  }
});

test("tables: missing table: answers 404 TableNotFound, unlike a missing row", async () => {
  const client = tableNamed(held.storage.connectionString, "neverMade");
  for (const call of [client.getEntity("p", "r"), client.createEntity(key)].map(refusal)) {
    expect(await call).toEqual({ status: 404, code: "TableNotFound" });
  }
});

test("tables: update: Merge keeps the other properties, Replace drops them, null removes nothing in a Merge", async () => {
  const client = await table();
  await client.createEntity({ ...key, a: 1, b: 2 });
  await client.updateEntity({ ...key, b: 3, a: null }, "Merge");
  expect(await client.getEntity("p", "r")).toMatchObject({ a: 1, b: 3 });
  await client.updateEntity({ ...key, c: 4 }, "Replace");
  const replaced = await client.getEntity("p", "r");
  expect(replaced).toMatchObject({ c: 4 });
  expect(replaced).not.toHaveProperty("a");
});

test("tables: conditional update and delete: a stale etag answers 412 UpdateConditionNotSatisfied", async () => {
  const client = await table();
  const { etag = "" } = await client.createEntity({ ...key, n: 1 });
  const { etag: next = "" } = await client.updateEntity({ ...key, n: 2 }, "Merge", { etag });
  expect(next).not.toBe(etag);
  for (const call of [
    client.updateEntity({ ...key, n: 3 }, "Merge", { etag }),
    client.updateEntity({ ...key, n: 3 }, "Replace", { etag }),
    client.deleteEntity("p", "r", { etag }),
  ].map(refusal)) {
    expect(await call).toEqual({ status: 412, code: "UpdateConditionNotSatisfied" });
  }
  await client.deleteEntity("p", "r", { etag: next });
});

test("tables: conditional update: of 16 at once with one etag exactly one wins, round after round", async () => {
  const client = await table();
  let { etag = "" } = await client.createEntity({ ...key, round: 0 });
  for (let round = 1; round <= 10; round += 1) {
    const calls = Array.from({ length: 16 }, (_, owner) =>
      client.updateEntity({ ...key, round, owner }, "Replace", { etag }),
    );
    expect(await tally(calls)).toEqual({ ok: 1, "412 UpdateConditionNotSatisfied": 15 });
    ({ etag } = await client.getEntity("p", "r"));
  }
});

test("tables: update without an etag: is unconditional", async () => {
  const client = await table();
  await client.createEntity({ ...key, n: 1 });
  await client.updateEntity({ ...key, n: 2 }, "Merge");
  await client.updateEntity({ ...key, n: 3 }, "Merge");
  expect(await client.getEntity("p", "r")).toMatchObject({ n: 3 });
});

test("tables: upsert: makes or changes the row, also 64 at once", async () => {
  const client = await table();
  const calls = Array.from({ length: 64 }, (_, owner) => client.upsertEntity({ ...key, owner }, "Replace"));
  expect(await tally(calls)).toEqual({ ok: 64 });
  await client.upsertEntity({ ...key, more: 1 }, "Merge");
  expect(await client.getEntity("p", "r")).toMatchObject({ more: 1, owner: expect.any(Number) as number });
});

test("tables: table: create is repeatable, delete removes the rows, list shows the names", async () => {
  const client = await table();
  await client.createTable();
  await client.createEntity(key);
  const names: (string | undefined)[] = [];
  for await (const { name } of tableService(held.storage.connectionString).listTables()) names.push(name);
  expect(names).toContain(client.tableName);
  await client.deleteTable();
  expect(await refusal(client.getEntity("p", "r"))).toEqual({ status: 404, code: "TableNotFound" });
});

test("tables: keys: odd but legal characters come back as they went in", async () => {
  const client = await table();
  for (const odd of ["", "o'clock", "a b", "%41", "a+b", "a:b|c&d=e", "😀", "x".repeat(512)]) {
    await client.createEntity({ partitionKey: odd, rowKey: odd, odd });
    expect(await client.getEntity(odd, odd)).toMatchObject({ partitionKey: odd, rowKey: odd, odd });
    await client.deleteEntity(odd, odd);
  }
});
