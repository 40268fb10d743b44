import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { inboxPartition, inboxTable } from "../../../shared/ledgers/inbox.ts";
import { pullRequest } from "../../support/scenario.ts";
import { type Sink, startSink } from "../../support/sink.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";
import { until } from "../../support/until.ts";
import { as, newTenant, type ReplayingTenant, routeTo } from "./replaying-tenant.ts";

let stack: TestStack;
let sink: Sink;

beforeAll(async () => {
  [stack, sink] = await Promise.all([startTestStack(), startSink()]);
});

afterAll(async () => {
  await Promise.all([stack?.stop(), sink?.stop()]);
});

interface Parked {
  readonly tenant: ReplayingTenant;
  readonly path: string;
  readonly routeName: string;
  readonly failureId: string;
  readonly correlationId: string;
}

function freshPath(): string {
  return `/d-${randomUUID().slice(0, 8)}`;
}

/** A tenant with one dead letter. */
async function parked(
  changes: object = {},
  operation: object = {},
  payload = pullRequest(),
): Promise<Parked> {
  const path = freshPath();
  const tenant = await newTenant(stack, sink);
  sink.reply(path, { status: 401 });
  await tenant.put([routeTo(path, changes, operation)]);
  await tenant.deliver(payload);
  const [failure] = await tenant.failures(1);
  const { failureId = "", correlationId = "" } = failure ?? {};
  return { tenant, path, routeName: path.slice(1), failureId, correlationId };
}

async function verdictOf({ tenant, failureId }: Parked, body: object = {}): Promise<string | undefined> {
  const { items } = await tenant.dryRun({ failureIds: [failureId], ...body });
  return items[0]?.verdict;
}

/** Every row there is. Presence and what was seen are written now and then, whatever anybody asks. */
async function allRows(): Promise<string> {
  const { tables } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../infra/storage.json"), "utf8"),
  ) as { tables: string[] };
  const rows: unknown[] = [];
  for (const name of tables.filter((each) => each !== "inboxwriters" && each !== "subjects")) {
    for await (const row of (await stack.platform.table(name)).listEntities()) rows.push([name, row]);
  }
  return JSON.stringify(rows);
}

describe("a dry run of failures", () => {
  test("FST-02: says what would be sent, and how it differs from what failed", async () => {
    const failed = await parked(
      {},
      { headers: { "x-team": "red" }, body: { title: "{{data.pull_request.title}}", old: 1 } },
    );
    const { tenant, path, failureId } = failed;
    const body = { title: "{{data.pull_request.title}}!", fresh: { number: "{{data.number}}" } };
    await tenant.put([routeTo(path, {}, { body, method: "PUT", path: `${path}/{{data.number}}` })]);
    const { items, summary, more } = await tenant.dryRun({ failureIds: [failureId] });
    expect({ summary, more }).toEqual({ summary: { "would-run": 1 }, more: false });
    const [work] = items[0]?.works ?? [];
    expect(work).toMatchObject({
      verdict: "would-run",
      attempt: 2,
      request: {
        method: "PUT",
        url: `${sink.url}${path}/1`,
        body: '{"title":"Change 1!","fresh":{"number":1}}',
      },
    });
    expect(work?.changes).toEqual([
      { path: "method", before: "POST", after: "PUT" },
      { path: "url", before: `${sink.url}${path}`, after: `${sink.url}${path}/1` },
      { path: "headers.x-team", before: "red" },
      { path: "body.title", before: "Change 1", after: "Change 1!" },
      { path: "body.old", before: "1" },
      { path: "body.fresh", after: '{"number":1}' },
    ]);
    const pinned = await tenant.dryRun({ failureIds: [failureId], config: "pinned" });
    expect(pinned.items[0]?.works[0]?.request).toMatchObject({ method: "POST", url: `${sink.url}${path}` });
    expect(pinned.items[0]?.works[0]?.changes).toBeUndefined();
  });

  test("FST-02: names credentials and shows none", async () => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink);
    const put = { body: { value: "hunter2-hunter2" } };
    await tenant.api.request("PUT", "/api/v1/secrets/vendor", put);
    sink.reply(path, { status: 401 });
    const auth = { scheme: "bearer", secretName: "vendor" };
    await tenant.put([routeTo(path)], { endpoints: { sink: { url: sink.url, auth } } });
    await tenant.deliver();
    const [failure] = await tenant.failures(1);
    const answer = await tenant.post("replays", { failureIds: [failure?.failureId] });
    expect(answer.text).toContain("<secret vendor>");
    expect(answer.text).not.toContain("hunter2");
  });

  test("FST-02: writes nothing anywhere, and sends nothing", async () => {
    const { tenant, failureId, correlationId } = await parked();
    const requests = sink.requests.length;
    const before = await allRows();
    await tenant.dryRun({ failureIds: [failureId] });
    await tenant.dryRun({ failures: {} });
    await tenant.dryRun({ events: { eventIds: [correlationId] } });
    await tenant.dryRun({ events: { from: new Date(Date.now() - 60_000).toISOString() } });
    expect(await allRows()).toBe(before);
    expect(sink.requests.length).toBe(requests);
  });

  test("ERR-08: finds that the stored webhook is not what failed", async () => {
    const failed = await parked();
    await rewriteBody(failed, (body) => body.replace("Change 1", "Change 2"));
    expect(await verdictOf(failed)).toBe("payload-changed");
    const { tenant, failureId, path } = failed;
    sink.reply(path, {});
    const replay = await tenant.replay({ failureIds: [failureId] });
    expect(replay.counts).toEqual({ skipped: 1 });
    expect(sink.effects(path)).toHaveLength(0);
    expect(await tenant.failure(failureId)).toMatchObject({ state: "Parked" });
  });

  test("ERR-08: finds that the event in the failure is not the one that was received", async () => {
    const failed = await parked();
    const table = await stack.platform.table("failures");
    const filter = `RowKey eq '${failed.failureId}'`;
    for await (const row of table.listEntities<{ workItem0: string }>({ queryOptions: { filter } })) {
      const workItem0 = row.workItem0.replace("Change 1", "Change 3");
      const { partitionKey = "", rowKey = "" } = row;
      await table.updateEntity({ partitionKey, rowKey, workItem0 }, "Merge");
    }
    expect(await verdictOf(failed)).toBe("payload-changed");
  });

  test("goes by the event in the failure where the raw webhook is gone, and by nothing where it was too large", async () => {
    const small = await parked();
    await deleteWebhook(small);
    const { items } = await small.tenant.dryRun({ failureIds: [small.failureId] });
    expect(items).toMatchObject([
      { verdict: "would-run", detail: expect.stringContaining("gone") as unknown },
    ]);
    const large = await parked({}, {}, pullRequest(1, { padding: "x".repeat(200_000) }));
    expect(await verdictOf(large)).toBe("would-run");
    await deleteWebhook(large);
    expect(await verdictOf(large)).toBe("gone");
  });

  test("sees what the current configuration says of the route", async () => {
    const failed = await parked();
    const { tenant, path, routeName } = failed;
    const route = (changes: object): Promise<string> => tenant.put([routeTo(path, changes)]);
    await tenant.post(`routes/${routeName}/disable`);
    expect(await verdictOf(failed)).toBe("route-disabled");
    await tenant.post(`routes/${routeName}/enable`);
    await tenant.post(`routes/${routeName}/pause`, { reason: "maintenance" });
    expect(await verdictOf(failed)).toBe("route-paused");
    await tenant.post(`routes/${routeName}/resume`);
    expect(await verdictOf(failed)).toBe("would-run");
    await route({ filters: [{ path: "number", operator: "Equals", value: 99 }] });
    expect(await verdictOf(failed)).toBe("filtered");
    await route({ subject: "github.events.issues.opened" });
    expect(await verdictOf(failed)).toBe("unmatched");
    await tenant.put([routeTo("/another")]);
    expect(await verdictOf(failed)).toBe("route-missing");
    expect(await verdictOf(failed, { config: "pinned" })).toBe("would-run");
  });

  test("sees what would fail again before anything is sent", async () => {
    const failed = await parked();
    const { tenant, path } = failed;
    await tenant.put([routeTo(path, {}, { path: `${path}/{{data.nowhere}}` })]);
    const { items } = await tenant.dryRun({ failureIds: [failed.failureId] });
    expect(items).toMatchObject([{ verdict: "would-fail" }]);
  });

  test("says what would be asked where an attempt may have happened, and a real run asks it", async () => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink);
    sink.reply(path, { end: "drop" });
    const body = { reference: "{{data.pull_request.node_id}}" };
    const lookup = { path: "/effects?reference={{data.pull_request.node_id}}", existsPath: "items" };
    await tenant.put([routeTo(path, {}, { body, lookup })]);
    await tenant.deliver(pullRequest(4711));
    const [failure] = await tenant.failures(1);
    const failureIds = [failure?.failureId];
    const { items } = await tenant.dryRun({ failureIds });
    expect(items).toMatchObject([
      { verdict: "in-doubt", detail: expect.stringContaining("GET /effects?reference=") as unknown },
    ]);
    sink.reply(path, {});
    expect(await tenant.replay({ failureIds })).toMatchObject({ counts: { done: 1 } });
    expect(sink.effects(path)).toHaveLength(1);
  });

  test("keeps to the key it failed with where the formula has changed since an attempt that may have happened", async () => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink);
    sink.reply(path, { end: "drop" });
    await tenant.put([routeTo(path)]);
    await tenant.deliver();
    const [failure] = await tenant.failures(1);
    await tenant.put([routeTo(path, { ledger: { keyFormulaRef: "DELIVERY" } })]);
    sink.reply(path, {});
    const failureIds = [failure?.failureId];
    const { items } = await tenant.dryRun({ failureIds });
    expect(items).toMatchObject([
      { verdict: "in-doubt", detail: expect.stringContaining("pinned") as unknown },
    ]);
    expect(await tenant.replay({ failureIds })).toMatchObject({ counts: { skipped: 1 } });
    expect(sink.effects(path)).toHaveLength(1);
  });

  test("comes in pages, and says when there is more", async () => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink);
    sink.reply(path, { status: 401 });
    await tenant.put([routeTo(path)]);
    for (let number = 1; number <= 5; number++) await tenant.deliver(pullRequest(number));
    const failures = await tenant.failures(5);
    const first = await tenant.dryRun({ failures: {}, limit: 2 });
    expect(first).toMatchObject({ more: true, summary: { "would-run": 2 } });
    const second = await tenant.dryRun({ failures: {}, limit: 200, cursor: first.nextCursor });
    expect(second.more).toBe(false);
    const seen = [...first.items, ...second.items].map(({ failureId }) => failureId);
    expect(seen).toEqual(failures.map(({ failureId }) => failureId));
  });
});

describe("a dry run of raw webhooks", () => {
  test("ERR-07: by time, source, connection and subject: each route by itself, and what was done before", async () => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink);
    await tenant.put([routeTo(path)]);
    const from = new Date(Date.now() - 60_000).toISOString();
    const eventId = await tenant.deliver();
    await sink.waitForEffects(1, path);
    const second = freshPath();
    await tenant.put([routeTo(path), routeTo(second, { intendedAction: "copy" })]);
    const events = await until("the event in the list", async () => {
      const { items } = await tenant.dryRun({ events: { from } });
      return items.length === 1 ? items : undefined;
    });
    expect(events).toMatchObject([{ eventId, verdict: "would-run" }]);
    const works = new Map(events[0]?.works.map((work) => [work.routeName, work]));
    expect(works.get(path.slice(1))).toMatchObject({
      verdict: "dedupe-hit",
      done: { sideEffectRef: sink.effects(path)[0]?.id },
    });
    expect(works.get(second.slice(1))).toMatchObject({ verdict: "would-run", attempt: 1 });
    const count = async (more: object): Promise<number> =>
      (await tenant.dryRun({ events: { from, ...more } })).items.length;
    const { connectionId } = tenant;
    expect(await count({ sourceSystem: "github", connectionId, subject: "github.#" })).toBe(1);
    const [only] = (await tenant.dryRun({ events: { from, routeName: second.slice(1) } })).items;
    expect(only?.works.map(({ routeName }) => routeName)).toEqual([second.slice(1)]);
    expect(await count({ sourceSystem: "gitlab" })).toBe(0);
    expect(await count({ connectionId: "0".repeat(32) })).toBe(0);
    expect(await count({ subject: "github.events.issues.*" })).toBe(0);
    expect(await count({ to: new Date(Date.now() - 30_000).toISOString() })).toBe(0);
  });

  test("ERR-07: then for real: routes that are new do it, those that did it do not", async () => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink);
    await tenant.put([]);
    const eventIds = [await tenant.deliver(pullRequest(1)), await tenant.deliver(pullRequest(2))];
    await until("the events in the list", async () => {
      const { items } = await tenant.get<{ items: { status: string }[] }>("events");
      return items.length === 2 ? true : undefined;
    });
    await tenant.put([routeTo(path)]);
    const replay = await tenant.replay({ events: { from: new Date(Date.now() - 60_000).toISOString() } });
    expect(replay).toMatchObject({ state: "Completed", counts: { done: 2 } });
    const again = await tenant.replay({ events: { eventIds } });
    expect(again).toMatchObject({ state: "Completed", counts: { deduplicated: 2 } });
    expect(sink.effects(path)).toHaveLength(2);
    const { items } = await tenant.get<{ items: { status: string; routes: string[] }[] }>("events");
    const isRouted = { status: "ROUTED", routes: [path.slice(1)] };
    expect(items).toMatchObject([isRouted, isRouted]);
    expect(await tenant.timeline(eventIds[0] ?? "")).toEqual(
      expect.arrayContaining(["unmatched", "replayed", "executed", "deduplicated"]),
    );
  });

  test("ERR-07: for one route only leaves the others alone, even those that keep no ledger", async () => {
    const [path, late] = [freshPath(), freshPath()];
    const tenant = await newTenant(stack, sink);
    const kept = routeTo(path, { ledger: { required: false } });
    const added = routeTo(late, { intendedAction: "copy" });
    await tenant.put([kept, { ...added, enabled: false }]);
    const eventId = await tenant.deliver();
    await sink.waitForEffects(1, path);
    await tenant.post(`routes/${added.routeName}/enable`);
    const events = { eventIds: [eventId], routeName: added.routeName };
    expect(await tenant.replay({ events })).toMatchObject({ counts: { done: 1 } });
    expect([sink.effects(path).length, sink.effects(late).length]).toEqual([1, 1]);
    const { items } = await tenant.get<{ items: { routes: string[] }[] }>("events");
    expect(items[0]?.routes.toSorted()).toEqual([kept.routeName, added.routeName].toSorted());
  });

  test("goes on where a failure was left, and sees what is not there", async () => {
    const failed = await parked();
    const { tenant, correlationId, path } = failed;
    const { items } = await tenant.dryRun({ events: { eventIds: [correlationId, "f".repeat(32)] } });
    expect(items.map(({ verdict }) => verdict).toSorted()).toEqual(["gone", "would-run"]);
    sink.reply(path, {});
    expect(await tenant.replay({ events: { eventIds: [correlationId] } })).toMatchObject({
      counts: { done: 1 },
    });
    await tenant.failures(1, "Resolved");
    expect(await verdictOf(failed)).toBe("resolved-already");
  });

  test("of a generic connection is the event that the dispatcher made", async () => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink, { pattern: "generic" });
    await tenant.put([routeTo(path, { ledger: { keyFormulaRef: "DELIVERY" } })]);
    const correlationId = await tenant.deliver();
    await sink.waitForEffects(1, path);
    const dispatched = await until("the event in the list", async () => {
      const { items } = await tenant.get<{ items: { eventId: string }[] }>("events");
      return items[0]?.eventId;
    });
    expect(dispatched).not.toBe(correlationId);
    const from = new Date(Date.now() - 60_000).toISOString();
    for (const events of [{ from }, { eventIds: [correlationId] }, { eventIds: [dispatched] }]) {
      const { items } = await tenant.dryRun({ events });
      expect(items, JSON.stringify(events)).toMatchObject([{ verdict: "dedupe-hit", eventId: dispatched }]);
    }
  });

  test("ERR-08: finds that the bytes have changed", async () => {
    const failed = await parked();
    await rewriteBody(failed, (body) => `${body} `);
    const { tenant, correlationId } = failed;
    const { items } = await tenant.dryRun({ events: { eventIds: [correlationId] } });
    expect(items).toMatchObject([{ verdict: "payload-changed" }]);
  });
});

describe("a replay is refused", () => {
  const id = "0".repeat(32);

  test.each([
    ["nothing to select by", {}],
    ["two selectors", { failureIds: [id], failures: {} }],
    ["no ids", { failureIds: [] }],
    ["events without a beginning", { events: { sourceSystem: "github" } }],
    ["events of more than a month", { events: { from: "2020-01-01T00:00:00Z" } }],
    ["ids of events beside a range", { events: { eventIds: [id], from: "2026-11-18T00:00:00Z" } }],
    ["events by the configuration of old", { events: { eventIds: [id] }, config: "pinned" }],
    [
      "an end before its beginning",
      { failures: { from: "2026-11-18T00:00:00Z", to: "2026-11-17T00:00:00Z" } },
    ],
    ["a stage of nothing", { failures: {}, stages: [0] }],
    ["more than it may have", { failures: {}, maxItems: 10_001 }],
    ["a cursor of another list", { events: { from: new Date().toISOString() }, cursor: "WyIwIl0" }],
  ])("for %s", async (_, body) => {
    const tenant = await newTenant(stack, sink);
    const answer = await tenant.post("replays", body);
    expect(answer.status, answer.text).toBe(400);
  });

  test("to a viewer, who sees the others", async () => {
    const { tenant, failureId } = await parked();
    const viewer = await as(tenant, "viewer");
    const refused = await viewer.request("POST", "/api/v1/replays", { body: { failureIds: [failureId] } });
    expect(refused.status).toBe(403);
    expect((await viewer.request("GET", "/api/v1/replays")).status).toBe(200);
  });

  test("for what is another tenant's, as for what never was", async () => {
    const { tenant, failureId, path, correlationId } = await parked();
    sink.reply(path, {});
    const { replayId } = await tenant.replay({ failureIds: [failureId] });
    const stranger = await newTenant(stack, sink);
    for (const ids of [[failureId], [id]]) {
      const answer = await stranger.post("replays", { failureIds: ids, dryRun: false });
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain(tenant.tenantId);
    }
    const { items } = await stranger.dryRun({ events: { eventIds: [correlationId] } });
    expect(items).toMatchObject([{ verdict: "gone" }]);
    const statuses = await Promise.all(
      [
        ["GET", `replays/${replayId}`],
        ["GET", `replays/${replayId}/items`],
        ["POST", `replays/${replayId}/cancel`],
        ["GET", `failures/${failureId}`],
      ].map(async ([method = "", each]) => (await stranger.api.request(method, `/api/v1/${each}`)).status),
    );
    expect(statuses).toEqual([404, 404, 404, 404]);
  });
});

async function rewriteBody(
  { tenant, correlationId }: Pick<Parked, "tenant" | "correlationId">,
  change: (body: string) => string,
): Promise<void> {
  const table = await stack.platform.table(inboxTable);
  const partitionKey = inboxPartition(tenant.tenantId, correlationId);
  const rowKey = `e|${correlationId}`;
  const { body } = await table.getEntity<{ body: Uint8Array }>(partitionKey, rowKey);
  const next = Buffer.from(change(Buffer.from(body).toString("utf8")));
  await table.updateEntity({ partitionKey, rowKey, body: new Uint8Array(next) }, "Merge");
}

async function deleteWebhook({ tenant, correlationId }: Parked): Promise<void> {
  const table = await stack.platform.table(inboxTable);
  await table.deleteEntity(inboxPartition(tenant.tenantId, correlationId), `e|${correlationId}`);
}
