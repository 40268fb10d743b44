import type { TableClient } from "@azure/data-tables";
import { beforeEach, describe, expect, test } from "vitest";

import { validateConfig } from "../../../shared/config/validate.ts";
import {
  createConfigCache,
  listVersions,
  putConfig,
  readHead,
  readVersion,
} from "../../../shared/ledgers/configs.ts";
import { newTable, tableNamed } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";
import { configOf, routeOf } from "../../unit/config/builders.ts";

const held = proxyForFile();
const now = new Date("2026-11-18T10:00:00Z");
const by = "key-1";
const tenant = "t-1";

let table: TableClient;

beforeEach(async () => {
  table = await newTable(held.proxy.connectionString);
});

const version = (name: string): ReturnType<typeof configOf> => configOf([routeOf(name)]);

describe("the ledger of configurations", () => {
  test("RTE-03: keeps every version, and knows which is current", async () => {
    const first = await putConfig(table, tenant, version("a"), { by, now });
    const second = await putConfig(table, tenant, version("b"), { by, now });
    expect(first).toMatchObject({ seq: 1, created: true });
    expect(second).toMatchObject({ seq: 2, created: true });
    const { created: _, ...head } = second;
    expect(await readHead(table, tenant)).toEqual(head);
    expect(await readVersion(table, tenant, first.hash)).toEqual(version("a"));
    expect(await readVersion(table, tenant, second.hash)).toEqual(version("b"));
  });

  test("a tenant has none until it puts one, and never another's", async () => {
    expect(await readHead(table, tenant)).toBeUndefined();
    const { hash } = await putConfig(table, tenant, version("a"), { by, now });
    expect(await readHead(table, "t-2")).toBeUndefined();
    expect(await readVersion(table, "t-2", hash)).toBeUndefined();
    expect(await listVersions(table, "t-2", { limit: 10 })).toEqual({ changes: [] });
    expect(await readVersion(table, tenant, "no hash'")).toBeUndefined();
  });

  test("RTE-04: the same content again is no new version", async () => {
    const first = await putConfig(table, tenant, version("a"), { by, now });
    const again = await putConfig(table, tenant, version("a"), { by: "key-2", now, ifMatch: '"old"' });
    expect(again).toEqual({ ...first, created: false });
    expect((await listVersions(table, tenant, { limit: 10 })).changes).toHaveLength(1);
  });

  test("RTE-04: a change made against an older version is refused", async () => {
    const first = await putConfig(table, tenant, version("a"), { by, now });
    await putConfig(table, tenant, version("b"), { by, now, ifMatch: first.etag });
    const late = putConfig(table, tenant, version("c"), { by, now, ifMatch: first.etag });
    await expect(late).rejects.toMatchObject({ code: "precondition-failed" });
    const early = putConfig(table, "t-2", version("c"), { by, now, ifMatch: first.etag });
    await expect(early).rejects.toMatchObject({ code: "precondition-failed" });
  });

  test("RTE-04: of many changes made against the same version exactly one is made", async () => {
    const { etag } = await putConfig(table, tenant, version("a"), { by, now });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        putConfig(table, tenant, version(`r${index}`), { by, now, ifMatch: etag }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await listVersions(table, tenant, { limit: 100 })).changes).toHaveLength(2);
  });

  test("changes made at once without a condition are all made, one after the other", async () => {
    await Promise.all(
      ["a", "b", "c", "d"].map((name) => putConfig(table, tenant, version(name), { by, now })),
    );
    const { changes } = await listVersions(table, tenant, { limit: 100 });
    expect(changes.map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
    expect(new Set(changes.map(({ hash }) => hash)).size).toBe(4);
    expect((await readHead(table, tenant))?.hash).toBe(changes[0]?.hash);
  });

  test("RTE-04: the history says who put what into place, the newest first, page by page", async () => {
    const promotedFrom = "qa:abc";
    await putConfig(table, tenant, version("a"), { by, now });
    await putConfig(table, tenant, version("b"), { by: "key-2", now, comment: "try it", promotedFrom });
    const back = await putConfig(table, tenant, version("a"), { by, now });
    const page = await listVersions(table, tenant, { limit: 2 });
    expect(page).toEqual({
      changes: [
        { seq: 3, hash: back.hash, at: now, by },
        {
          seq: 2,
          hash: expect.any(String) as unknown,
          at: now,
          by: "key-2",
          comment: "try it",
          promotedFrom,
        },
      ],
      before: 2,
    });
    const rest = await listVersions(table, tenant, { limit: 2, before: 2 });
    expect(rest).toEqual({ changes: [{ seq: 1, hash: back.hash, at: now, by }] });
  });

  test("takes a configuration of hundreds of routes, and says so when one is too large", async () => {
    const body = { text: "é😀".repeat(100) };
    const routes = Array.from({ length: 500 }, (_, index) =>
      routeOf(`route-${index}`, { operation: { kind: "generic-http", body } }),
    );
    const large = configOf(routes);
    expect(validateConfig(large, { knownSubjects: ["github.events.issue.opened"] }).errors).toEqual([]);
    const { hash } = await putConfig(table, tenant, large, { by, now });
    expect(await readVersion(table, tenant, hash)).toEqual(large);
    const larger = configOf(large.routes.map((route) => ({ ...route, description: "x".repeat(1000) })));
    await expect(putConfig(table, tenant, larger, { by, now })).rejects.toMatchObject({
      code: "body-too-large",
    });
  });

  test.each(["reset", "busy"] as const)(
    "takes its own write for its own when the answer to it was lost: %s",
    async (answer) => {
      await putConfig(table, tenant, version("a"), { by, now });
      const fault = { kind: "lost-acknowledgement", answer } as const;
      const rule = held.proxy.rules.add({ match: { kind: "batch" }, times: 1, fault });
      const { etag, created } = await putConfig(table, tenant, version("b"), { by, now });
      expect({ hits: rule.hits, created }).toEqual({ hits: 1, created: true });
      const third = await putConfig(table, tenant, version("c"), { by, now, ifMatch: etag });
      expect(third).toMatchObject({ seq: 3, created: true });
      expect((await listVersions(table, tenant, { limit: 10 })).changes).toHaveLength(3);
    },
  );

  test("lists all that is there when storage answers with empty pages", async () => {
    for (const name of ["a", "b", "c"]) await putConfig(table, tenant, version(name), { by, now });
    held.proxy.rules.add({ match: { kind: "query" }, times: 2, fault: { kind: "empty-page" } });
    const { changes } = await listVersions(table, tenant, { limit: 10 });
    expect(changes.map(({ seq }) => seq)).toEqual([3, 2, 1]);
  });
});

describe("the cache over the ledger", () => {
  test("RTE-03: sees a change after five seconds, and goes on with what work was pinned to", async () => {
    let time = 0;
    const cache = createConfigCache(table, { now: () => time });
    expect(await cache.current(tenant)).toBeUndefined();
    const first = await putConfig(table, tenant, version("a"), { by, now });
    time = 5000;
    expect(await cache.current(tenant)).toEqual({ hash: first.hash, config: version("a") });
    const second = await putConfig(table, tenant, version("b"), { by, now });
    expect((await cache.current(tenant))?.hash).toBe(first.hash);
    time = 10_000;
    expect((await cache.current(tenant))?.hash).toBe(second.hash);
    expect((await cache.version(tenant, first.hash))?.config).toEqual(version("a"));
  });

  test("costs one point read for each head and each version, however many ask", async () => {
    await putConfig(table, tenant, version("a"), { by, now });
    held.proxy.resetCounts();
    const cache = createConfigCache(table, { now: () => 0 });
    await Promise.all(Array.from({ length: 100 }, () => cache.current(tenant)));
    const { get, query, ...writes } = held.proxy.counts().table;
    expect({ get, query, writes: Object.values(writes).reduce((sum, count) => sum + count, 0) }).toEqual({
      get: 2,
      query: 0,
      writes: 0,
    });
  });

  test("asks again after storage was away", async () => {
    const impatient = tableNamed(held.proxy.connectionString, table.tableName, {
      retryOptions: { maxRetries: 0 },
    });
    await putConfig(table, tenant, version("a"), { by, now });
    held.proxy.rules.add({ match: { kind: "get" }, times: 1, fault: { kind: "timed-out" } });
    const cache = createConfigCache(impatient, { now: () => 0 });
    await expect(cache.current(tenant)).rejects.toMatchObject({ statusCode: 500 });
    expect((await cache.current(tenant))?.config).toEqual(version("a"));
  });
});
