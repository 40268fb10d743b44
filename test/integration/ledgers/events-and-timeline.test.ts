import type { TableClient } from "@azure/data-tables";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { newId } from "../../../shared/envelope/ids.ts";
import {
  type EventQuery,
  type EventSummary,
  listEvents,
  writeEvent,
} from "../../../shared/ledgers/events.ts";
import { readTimeline, type TimelineStep, writeTimeline } from "../../../shared/ledgers/timeline.ts";
import { createGroupCommit, type GroupCommit } from "../../../shared/platform/group-commit.ts";
import { newTable } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";
import { at, envelope, tenantId } from "./fixtures.ts";

const held = proxyForFile();
let table: TableClient;
let commit: GroupCommit;
beforeEach(async () => {
  table = await newTable(held.proxy.connectionString);
  commit = createGroupCommit(table);
});
afterEach(() => held.proxy.rules.clear());

const hour = 3600;
const day = 24 * hour;

async function event(
  seconds: number,
  change: Partial<{ id: string; type: string; tenantid: string }> = {},
): Promise<string> {
  const made = envelope({ receivedat: at(seconds).toISOString(), ...change });
  const routing = {
    status: "ROUTED",
    routes: ["orders"],
    configHash: "h",
    routedAt: made.receivedat,
  } as const;
  await writeEvent(commit, made, routing);
  return made.id;
}

async function pages(query: Partial<EventQuery>): Promise<EventSummary[][]> {
  const found: EventSummary[][] = [];
  let after: string | undefined;
  do {
    const page = await listEvents(table, {
      tenantId,
      from: at(-10 * day),
      to: at(10 * day),
      limit: 50,
      accepts: () => true,
      ...query,
      ...(after === undefined ? {} : { after }),
    });
    found.push([...page.items]);
    ({ after } = page);
  } while (after !== undefined);
  return found;
}

const idsOf = (found: readonly (readonly EventSummary[])[]): string[] =>
  found.flat().map(({ eventId }) => eventId);

describe("events by time", () => {
  test("are listed the newest first over days and partitions, each once, whatever the size of a page", async () => {
    const seconds = Array.from({ length: 90 }, (_, n) => n * 3 * hour - 5 * day);
    const ids = await Promise.all(seconds.map((each) => event(each)));
    for (const limit of [1, 7, 90, 200]) expect(idsOf(await pages({ limit }))).toEqual(ids.toReversed());
  });

  test("of one moment are told apart", async () => {
    const ids = await Promise.all(Array.from({ length: 25 }, () => event(0)));
    const found = idsOf(await pages({ limit: 4 }));
    expect(found.toSorted()).toEqual(ids.toSorted());
  });

  test("are those of the range, both ends included", async () => {
    const [, second, third] = [await event(0), await event(day), await event(2 * day), await event(3 * day)];
    expect(idsOf(await pages({ from: at(day), to: at(2 * day) }))).toEqual([third, second]);
    expect(idsOf(await pages({ from: at(day + 1), to: at(2 * day - 1) }))).toEqual([]);
    expect(idsOf(await pages({ from: at(2 * day), to: at(day) }))).toEqual([]);
  });

  test("are those that are wanted, and those of the tenant", async () => {
    const wanted = await event(2, { type: "github.events.push" });
    await event(1);
    await event(3, { type: "github.events.push", tenantid: "other" });
    expect(idsOf(await pages({ accepts: ({ subject }) => subject === "github.events.push" }))).toEqual([
      wanted,
    ]);
  });

  test("written twice are one", async () => {
    const id = newId();
    await event(1, { id });
    await event(1, { id });
    expect(idsOf(await pages({}))).toEqual([id]);
  });

  test("are found behind pages on which there is nothing yet", async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => event(n)));
    held.proxy.rules.add({ match: { kind: "query" }, times: 6, fault: { kind: "empty-page" } });
    expect(idsOf(await pages({ limit: 5 }))).toEqual(ids.toReversed());
  });

  test("are looked through two thousand at a time, and the cursor goes on from there", async () => {
    await Promise.all(Array.from({ length: 2300 }, (_, n) => event(n % 1000)));
    const wanted = await event(-1, { type: "github.events.push" });
    held.proxy.resetCounts();
    const [first, ...rest] = await pages({ accepts: ({ subject }) => subject === "github.events.push" });
    expect(first).toEqual([]);
    expect(idsOf(rest)).toEqual([wanted]);
    expect(rest).toHaveLength(1);
  });

  test("are found after months of nothing, a bounded number of queries a page", async () => {
    const old = await event(-200 * day);
    held.proxy.resetCounts();
    const query = { tenantId, from: at(-300 * day), to: at(0), limit: 10, accepts: () => true };
    const { items, after } = await listEvents(table, query);
    expect(items).toEqual([]);
    expect(after).toBeDefined();
    expect(held.proxy.counts().table.query).toBeLessThanOrEqual(62 * 4);
    expect(idsOf(await pages({ from: at(-300 * day), to: at(0) }))).toEqual([old]);
  });

  test("a cursor that is none finds nothing, and harms nothing", async () => {
    await event(0);
    const query = { tenantId, from: at(-day), to: at(day), limit: 10, accepts: () => true, after: "none" };
    expect(await listEvents(table, query)).toEqual({ items: [] });
  });
});

describe("the timeline of a correlation id", () => {
  const step = (seconds: number, kind: TimelineStep["kind"], stepId = "w:1"): TimelineStep => ({
    at: at(seconds),
    kind,
    stepId,
    routeName: "orders",
    details: { attempt: 1 },
  });
  const kinds = async (correlationId: string): Promise<string[]> =>
    (await readTimeline(table, tenantId, correlationId)).map(({ kind }) => kind);

  test("is in the order in which it happened, and within one write in that of the steps", async () => {
    const id = newId();
    await writeTimeline(commit, tenantId, id, [step(5, "routed"), step(5, "failed"), step(5, "retrying")]);
    await writeTimeline(commit, tenantId, id, [step(9, "routed"), step(9, "executed")]);
    await writeTimeline(commit, tenantId, id, [step(1, "received")]);
    expect(await kinds(id)).toEqual(["received", "routed", "failed", "retrying", "routed", "executed"]);
  });

  test("has a step that was written twice once", async () => {
    const id = newId();
    for (let times = 0; times < 2; times++) await writeTimeline(commit, tenantId, id, [step(1, "executed")]);
    expect(await readTimeline(table, tenantId, id)).toEqual([
      { at: at(1).toISOString(), kind: "executed", routeName: "orders", details: { attempt: 1 } },
    ]);
  });

  test("holds nothing of its neighbours, of other tenants, or of an id that begins alike", async () => {
    const id = newId();
    await writeTimeline(commit, tenantId, id, [step(1, "executed")]);
    await writeTimeline(commit, tenantId, `${id}0`, [step(2, "failed")]);
    await writeTimeline(commit, "other", id, [step(3, "parked")]);
    expect(await kinds(id)).toEqual(["executed"]);
  });

  test("is asked for by an id and not by a piece of a query", async () => {
    await writeTimeline(commit, "other", newId(), [step(1, "executed")]);
    expect(await kinds("0' or PartitionKey ne '")).toEqual([]);
  });
});
