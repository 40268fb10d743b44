import { afterEach, beforeEach, describe, expect, test } from "vitest";

import {
  addToBacklog,
  type BacklogTables,
  forgetBacklogRoute,
  listBacklogRoutes,
  postponeBacklog,
  removeFromBacklog,
  takeFromBacklog,
} from "../../../shared/ledgers/backlog.ts";
import { freezeObject, readObject, rememberApplied, thawObject } from "../../../shared/ledgers/objects.ts";
import type { WorkItem } from "../../../shared/work/work-item.ts";
import { collect } from "../../support/collect.ts";
import { newTable } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";
import { until } from "../../support/until.ts";
import { at, tenantId, workItem } from "./fixtures.ts";

const held = proxyForFile();
afterEach(() => held.proxy.rules.clear());

describe("the backlog", () => {
  let tables: BacklogTables;
  beforeEach(async () => {
    const { connectionString } = held.proxy;
    tables = { backlog: await newTable(connectionString), routes: await newTable(connectionString) };
  });

  const itemAt = (seconds: number): WorkItem => workItem({ routedAt: at(seconds).toISOString() });
  const take = (count: number): Promise<readonly { readonly item: WorkItem; readonly rowKey: string }[]> =>
    takeFromBacklog(tables.backlog, tenantId, "orders", count);

  test("gives back what it was given, the oldest first, as much as is wanted", async () => {
    const items = [3, 1, 2].map(itemAt);
    for (const item of items) await addToBacklog(tables, item, at(0));
    const waits = (await take(2)).map(({ item }) => item);
    expect(waits).toEqual([items[1], items[2]]);
  });

  test("holds an item that is added twice once, and not after it is removed", async () => {
    const item = itemAt(1);
    await addToBacklog(tables, item, at(0));
    await addToBacklog(tables, { ...item, attempt: 2 }, at(0));
    const work = await takeFromBacklog(tables.backlog, tenantId, "orders", 10);
    expect(work.map(({ item: { attempt } }) => attempt)).toEqual([2]);
    await removeFromBacklog(tables.backlog, tenantId, "orders", work);
    await removeFromBacklog(tables.backlog, tenantId, "orders", work);
    expect(await take(10)).toEqual([]);
  });

  test("goes through storage page by page", async () => {
    for (let n = 0; n < 7; n++) await addToBacklog(tables, itemAt(n), at(0));
    held.proxy.rules.add({ match: { kind: "query" }, times: 1, fault: { kind: "empty-page" } });
    expect(await take(7)).toHaveLength(7);
  });

  test("lists the routes that have any, and when each is due", async () => {
    await addToBacklog(tables, itemAt(1), at(60));
    await addToBacklog(tables, itemAt(2), at(90));
    expect(await listBacklogRoutes(tables.routes)).toMatchObject([
      { tenantId, routeName: "orders", dueAt: at(60) },
    ]);
    expect(await listBacklogRoutes(tables.routes, "other")).toEqual([]);
    const [route] = await listBacklogRoutes(tables.routes);
    if (route) await postponeBacklog(tables.routes, route, at(360));
    expect(await listBacklogRoutes(tables.routes)).toMatchObject([{ dueAt: at(360) }]);
  });

  test("does not forget a route for which work has arrived since", async () => {
    await addToBacklog(tables, itemAt(1), at(0));
    const [route] = await listBacklogRoutes(tables.routes);
    await addToBacklog(tables, itemAt(2), at(0));
    if (route) await forgetBacklogRoute(tables.routes, route);
    expect(await listBacklogRoutes(tables.routes)).toHaveLength(1);
  });

  test("knows the whole route when it was forgotten in the middle of an addition", async () => {
    await addToBacklog(tables, itemAt(1), at(0));
    const [route] = await listBacklogRoutes(tables.routes);
    const merges = held.proxy.rules.add({
      match: { kind: "merge" },
      fault: { kind: "delay", milliseconds: 200 },
    });
    const adding = addToBacklog(tables, itemAt(2), at(5));
    await until("the addition to find the route there", () => (merges.hits > 0 ? true : undefined));
    if (route) await forgetBacklogRoute(tables.routes, route);
    await adding;
    expect(await listBacklogRoutes(tables.routes)).toMatchObject([
      { tenantId, routeName: "orders", dueAt: at(5) },
    ]);
  });

  test("leads to every item, however additions and drains meet", async () => {
    const drained = new Set<string>();
    const drain = async (): Promise<void> => {
      for (const route of await listBacklogRoutes(tables.routes)) {
        const work = await takeFromBacklog(tables.backlog, tenantId, route.routeName, 5);
        for (const { item } of work) drained.add(item.workId);
        await removeFromBacklog(tables.backlog, tenantId, route.routeName, work);
        if (work.length < 5) await forgetBacklogRoute(tables.routes, route);
      }
    };
    const items = Array.from({ length: 60 }, (_, n) => itemAt(n));
    const adding = items.map((item) => addToBacklog(tables, item, at(0)));
    for (const added of adding) {
      await drain();
      await added;
    }
    while ((await listBacklogRoutes(tables.routes)).length > 0) await drain();
    expect(drained.size).toBe(60);
    expect(await collect(tables.backlog.listEntities())).toEqual([]);
  });
});

describe("what a route knows of an object", () => {
  const key = { tenantId, routeName: "orders", objectId: "order/1 #?" };

  test("is the newest event applied, in whatever order they come", async () => {
    const table = await newTable(held.proxy.connectionString);
    const times = Array.from({ length: 20 }, (_, n) => at((n * 7) % 20).toISOString());
    await Promise.all(times.map((time) => rememberApplied(table, key, time)));
    expect((await readObject(table, key)).appliedUntil).toBe(at(19).toISOString());
    expect(await readObject(table, { ...key, tenantId: "other" })).toEqual({});
    expect(await readObject(table, { ...key, routeName: "other" })).toEqual({});
  });

  test("is which failure froze it, and that one alone thaws it", async () => {
    const table = await newTable(held.proxy.connectionString);
    await rememberApplied(table, key, at(1).toISOString());
    await freezeObject(table, key, "f1");
    await freezeObject(table, key, "f2");
    await thawObject(table, key, "f2");
    expect(await readObject(table, key)).toMatchObject({
      appliedUntil: at(1).toISOString(),
      frozenBy: "f1",
    });
    held.proxy.rules.add({
      match: { kind: "update" },
      times: 1,
      fault: { kind: "lost-acknowledgement", answer: "reset" },
    });
    await thawObject(table, key, "f1");
    expect((await readObject(table, key)).frozenBy).toBeUndefined();
  });
});
