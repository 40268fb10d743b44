import type { TableClient } from "@azure/data-tables";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { createGroupCommit, type GroupCommit, type Step } from "../../../shared/platform/group-commit.ts";
import { collect } from "../../support/collect.ts";
import { newTable, noRetries, refusal } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";

const held = proxyForFile();
let table: TableClient;
let commit: GroupCommit;

beforeEach(async () => {
  table = await newTable(held.proxy.connectionString);
  commit = createGroupCommit(table);
  held.proxy.resetCounts();
});
afterEach(() => held.proxy.rules.clear());

const row = (rowKey: string, more: object = {}): { partitionKey: string; rowKey: string } => ({
  partitionKey: "p",
  rowKey,
  ...more,
});
const create = (rowKey: string, more?: object): Step => ({ kind: "create", row: row(rowKey, more) });
const upsert = (rowKey: string, more?: object): Step => ({
  kind: "upsert",
  row: row(rowKey, more),
  mode: "Replace",
});
const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `r${1000 + n}`);
const storedKeys = async (): Promise<string[]> =>
  (await collect(table.listEntities())).map(({ rowKey }) => rowKey ?? "");

describe("writes that arrive together", () => {
  test("share transactions of at most a hundred", async () => {
    await Promise.all(numbered(250).map((key) => commit.write(create(key))));
    expect(held.proxy.counts()).toMatchObject({ table: { batch: 3, insert: 0 }, batched: { insert: 250 } });
    expect(await storedKeys()).toEqual(numbered(250));
  });

  test("a lone write is one plain operation", async () => {
    const { etag } = await commit.write(create("alone"));
    expect(held.proxy.counts().table).toMatchObject({ insert: 1, batch: 0 });
    expect((await table.getEntity("p", "alone")).etag).toBe(etag);
  });

  test("each learns the ETag of its own first row", async () => {
    const results = await Promise.all(
      numbered(20).map((key) => commit.write(create(key), upsert(`${key}b`))),
    );
    const rows = await Promise.all(numbered(20).map((key) => table.getEntity("p", key)));
    expect(results.map(({ etag }) => etag)).toEqual(rows.map(({ etag }) => etag));
  });

  test("a write is never divided, however the hundred comes out", async () => {
    const writes = numbered(50).map((key) => commit.write(create(key), create(`${key}b`), create(`${key}c`)));
    await Promise.all(writes);
    expect(held.proxy.counts()).toMatchObject({ table: { batch: 2 }, batched: { insert: 150 } });
  });

  test("large rows go in as many transactions as Azure's four megabytes ask for", async () => {
    const body = Buffer.alloc(60 * 1024, 1);
    await Promise.all(numbered(60).map((key) => commit.write(create(key, { body }))));
    expect(held.proxy.counts().refused).toBe(0);
    expect(await storedKeys()).toHaveLength(60);
  });

  test("of two to the same row the second waits, and wins", async () => {
    await Promise.all([commit.write(upsert("same", { n: 1 })), commit.write(upsert("same", { n: 2 }))]);
    expect(await table.getEntity("p", "same")).toMatchObject({ n: 2 });
  });

  test("partitions do not wait for each other", async () => {
    held.proxy.rules.add({
      match: { partitionKey: "slow" },
      fault: { kind: "lost-acknowledgement", answer: "reset" },
      times: 2,
    });
    const order: string[] = [];
    const slow = { kind: "upsert", row: { partitionKey: "slow", rowKey: "r" }, mode: "Replace" } as const;
    await Promise.all([
      commit.write(slow).then(() => order.push("slow")),
      commit.write(create("quick")).then(() => order.push("quick")),
    ]);
    expect(order).toEqual(["quick", "slow"]);
  });

  test("a companion goes with every transaction, and with a lone write too", async () => {
    let made = 0;
    const accompanied = createGroupCommit(table, { companion: () => upsert("beside", { made: ++made }) });
    await Promise.all(numbered(120).map((key) => accompanied.write(create(key))));
    await accompanied.write(create("alone"));
    expect(held.proxy.counts()).toMatchObject({ table: { batch: 3, insert: 0 } });
    expect(await table.getEntity("p", "beside")).toMatchObject({ made: 3 });
  });
});

describe("a write that cannot be made fails alone", () => {
  test("when it conflicts", async () => {
    await Promise.all([table.createEntity(row("r1003")), table.createEntity(row("r1017"))]);
    const outcomes = await Promise.allSettled(numbered(30).map((key) => commit.write(create(key))));
    const failed = outcomes.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
    expect(failed).toEqual([3, 17]);
    expect(await storedKeys()).toEqual(numbered(30));
  });

  test("as a whole: none of its steps is made", async () => {
    await table.createEntity(row("taken"));
    const [first, second, third] = await Promise.allSettled([
      commit.write(create("a")),
      commit.write(create("b"), create("taken"), create("c")),
      commit.write(create("d")),
    ]);
    expect([first.status, second.status, third.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await storedKeys()).toEqual(["a", "d", "taken"]);
  });

  test("when its ETag is old, or its row gone", async () => {
    const { etag = "" } = await table.createEntity(row("moved"));
    await table.upsertEntity(row("moved", { n: 1 }));
    const update = (key: string): Step => ({ kind: "update", row: row(key), mode: "Merge", etag });
    const [moved, gone] = await Promise.all([
      refusal(commit.write(update("moved"))),
      refusal(commit.write(update("gone"))),
      commit.write(create("fine")),
    ]);
    expect([moved.status, gone.status]).toEqual([412, 404]);
  });

  test("when storage would never take it", async () => {
    const tooLong = "x".repeat(40_000);
    const outcomes = await Promise.allSettled([
      commit.write(create("a")),
      commit.write(create("b", { tooLong })),
      commit.write(create("c")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await storedKeys()).toEqual(["a", "c"]);
  });
});

describe("when storage falters", () => {
  test("503s are tried again by the client, and every write is made", async () => {
    held.proxy.rules.add({ match: { kind: "batch" }, times: 2, fault: { kind: "busy" } });
    await Promise.all(numbered(30).map((key) => commit.write(create(key))));
    expect(await storedKeys()).toEqual(numbered(30));
  });

  test("all of a transaction learn that it failed, and the next ones go through", async () => {
    const impatient = createGroupCommit(await newTable(held.proxy.connectionString, noRetries));
    const rule = held.proxy.rules.add({ match: { kind: "batch" }, times: 1, fault: { kind: "busy" } });
    const failed = await Promise.all(numbered(5).map((key) => refusal(impatient.write(create(key)))));
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([503]));
    rule.remove();
    await Promise.all(numbered(5).map((key) => impatient.write(create(key))));
  });

  test("after a lost acknowledgement creates are told of a conflict, each alone, and are stored", async () => {
    held.proxy.rules.add({
      match: { kind: "batch" },
      times: 1,
      fault: { kind: "lost-acknowledgement", answer: "reset" },
    });
    const outcomes = await Promise.allSettled([
      ...numbered(3).map((key) => commit.write(create(key))),
      commit.write(upsert("u")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "fulfilled"]);
    expect(await storedKeys()).toEqual([...numbered(3), "u"]);
  });
});

interface Wanted {
  readonly kind: "create" | "update" | "upsert" | "delete";
  readonly key: string;
  readonly value: number;
}

const wanted = fc.record({
  kind: fc.constantFrom<Wanted["kind"]>("create", "update", "upsert", "delete"),
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  value: fc.nat(9),
});

function stepFor({ kind, key, value }: Wanted): Step {
  const target = row(key, { value });
  switch (kind) {
    case "create":
    case "delete":
      return { kind, row: target };
    case "update":
      return { kind, row: target, mode: "Replace", etag: "*" };
    case "upsert":
      return { kind, row: target, mode: "Merge" };
  }
}

test("whatever is written at once has the outcomes and leaves the rows that one after the other would", async () => {
  held.proxy.rules.add({ match: { kind: "batch" }, probability: 0.1, fault: { kind: "busy" } });
  await fc.assert(
    fc.asyncProperty(fc.array(wanted, { maxLength: 30 }), async (writes) => {
      const [together, alone] = await Promise.all([
        newTable(held.proxy.connectionString),
        newTable(held.proxy.connectionString),
      ]);
      const grouped = createGroupCommit(together);
      const single = createGroupCommit(alone);
      const atOnce = await Promise.all(writes.map((each) => outcome(grouped.write(stepFor(each)))));
      const inTurn: unknown[] = [];
      for (const each of writes) inTurn.push(await outcome(single.write(stepFor(each))));
      expect(atOnce).toEqual(inTurn);
      expect(await rowsOf(together)).toEqual(await rowsOf(alone));
    }),
    { numRuns: 25, seed: 7 },
  );
});

async function outcome(write: Promise<unknown>): Promise<unknown> {
  return write.then(
    () => "made",
    () => refusal(write).then(({ status }) => status),
  );
}

async function rowsOf(of: TableClient): Promise<unknown[]> {
  return (await collect(of.listEntities())).map(({ rowKey, ["value"]: value }) => ({ rowKey, value }));
}
