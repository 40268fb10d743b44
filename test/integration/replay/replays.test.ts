import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { findFailure } from "../../../shared/ledgers/failures.ts";
import { readItems, replayItemsTable } from "../../../shared/ledgers/replay-items.ts";
import { createReplay, newReplayId, replaysTable } from "../../../shared/ledgers/replays.ts";
import { collectItems } from "../../../shared/replay/collect.ts";
import { giveItemsBack } from "../../../shared/replay/give-back.ts";
import { afterCollecting, afterRunning, newRun, nextTask, type Run } from "../../../shared/replay/run.ts";
import { runChunk } from "../../../shared/replay/run-chunk.ts";
import { replayDefaults } from "../../../shared/replay/selector.ts";
import { takeItems } from "../../../shared/replay/take.ts";
import { type Services, services } from "../../../shared/services.ts";
import { pullRequest } from "../../support/scenario.ts";
import { type Sink, startSink } from "../../support/sink.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";
import { until } from "../../support/until.ts";
import { newTenant, type ReplayingTenant, routeTo } from "./replaying-tenant.ts";

let stack: TestStack;
let sink: Sink;
/** Of this process, on the same storage as the host. */
let own: Services;
const lines: Readonly<Record<string, unknown>>[] = [];

beforeAll(async () => {
  stack = await startTestStack({
    log: ({ message }) => {
      if (message.startsWith("{")) lines.push(JSON.parse(message) as Record<string, unknown>);
    },
  });
  sink = await startSink();
  own = await services();
});

afterAll(async () => {
  await Promise.all([stack?.stop(), sink?.stop()]);
});

/** A tenant whose route has parked so many, each about another object. Each test has a path of its own at the sink. */
async function parked(
  count: number,
  changes: object = {},
): Promise<{ tenant: ReplayingTenant; path: string; failureIds: string[] }> {
  const path = `/p-${randomUUID().slice(0, 8)}`;
  const tenant = await newTenant(stack, sink);
  sink.reply(path, { status: 401 });
  await tenant.put([routeTo(path, changes)]);
  for (let number = 1; number <= count; number++) await tenant.deliver(pullRequest(number));
  const failures = await tenant.failures(count);
  return { tenant, path, failureIds: failures.map(({ failureId }) => failureId) };
}

interface Item {
  readonly failureId: string;
  readonly outcome: string;
  readonly verdict?: string;
}

async function itemsOf(tenant: ReplayingTenant, replayId: string): Promise<readonly Item[]> {
  return (await tenant.get<{ items: Item[] }>(`replays/${replayId}/items`)).items;
}

describe("a replay", () => {
  test("ERR-06: does a dead letter by the same path; it is resolved and told", async () => {
    const {
      tenant,
      path,
      failureIds: [failureId = ""],
    } = await parked(1);
    sink.reply(path, {});
    const replay = await tenant.replay({ failureIds: [failureId] });
    expect(replay).toMatchObject({ state: "Completed", total: 1, reached: 1, counts: { done: 1 } });
    expect(sink.effects(path)).toHaveLength(1);
    const { correlationId, ...resolved } = await tenant.failure(failureId);
    expect(resolved).toMatchObject({ state: "Resolved", replayId: replay.replayId });
    expect(await tenant.timeline(correlationId)).toEqual(
      expect.arrayContaining(["parked", "replayed", "executed", "resolved"]),
    );
    const told = lines.filter((line) => line["correlationId"] === correlationId);
    expect(told.map((line) => line["event"])).toContain("failure.resolved");
  });

  test("ERR-06: asked for twice, it has one effect", async () => {
    const { tenant, path, failureIds } = await parked(1);
    sink.reply(path, {});
    await tenant.replay({ failureIds });
    const again = await tenant.replay({ failureIds });
    expect(again).toMatchObject({ state: "Completed", counts: { skipped: 1 } });
    expect(await itemsOf(tenant, again.replayId)).toMatchObject([{ verdict: "resolved-already" }]);
    expect(sink.effects(path)).toHaveLength(1);
  });

  test("ERR-06: two of them at once over the same failures have each effect once", async () => {
    const { tenant, path, failureIds } = await parked(6);
    sink.reply(path, { delayMs: 50 });
    const begun = await Promise.all([
      tenant.start({ failureIds, stages: [6] }),
      tenant.start({ failureIds, stages: [6] }),
    ]);
    const over = await Promise.all(begun.map(({ replayId }) => tenant.over(replayId)));
    expect(over.map(({ state }) => state)).toEqual(["Completed", "Completed"]);
    expect(sink.effects(path)).toHaveLength(6);
    const items = (await Promise.all(over.map(({ replayId }) => itemsOf(tenant, replayId)))).flat();
    expect(items.filter(({ outcome }) => outcome === "done")).toHaveLength(6);
    const rest = items.filter(({ outcome }) => outcome !== "done");
    expect(rest.every(({ verdict }) => verdict === "taken" || verdict === "resolved-already")).toBe(true);
    await tenant.failures(6, "Resolved");
  });

  test("does the oldest first, and of more than it may have the newest", async () => {
    const { tenant, path, failureIds } = await parked(5);
    sink.reply(path, {});
    const replay = await tenant.replay({ failures: {}, maxItems: 3, stages: [1] });
    expect(replay).toMatchObject({ state: "Completed", total: 3, more: true, stage: 3 });
    const newest = failureIds.slice(0, 3).toReversed();
    expect((await itemsOf(tenant, replay.replayId)).map(({ failureId }) => failureId)).toEqual(newest);
    const sent = sink.effects(path).map(({ request }) => JSON.parse(request.body) as { title: string });
    expect(sent).toHaveLength(3);
    await tenant.failures(2);
  });

  test("selects by route, class, code and time", async () => {
    const { tenant, path } = await parked(2);
    const none = { counts: {}, total: 0, state: "Completed" };
    const before = new Date(Date.now() - 3_600_000).toISOString();
    for (const failures of [
      { routeName: "other" },
      { classification: "Poison" },
      { code: "HTTP_500" },
      { to: before },
      { state: "Discarded" },
    ]) {
      expect(await tenant.replay({ failures }), JSON.stringify(failures)).toMatchObject(none);
    }
    sink.reply(path, {});
    const failures = { routeName: path.slice(1), classification: "Auth", code: "HTTP_401", from: before };
    expect(await tenant.replay({ failures })).toMatchObject({ counts: { done: 2 } });
  });

  test("FST-02: stops after a stage of which too much failed; the rest goes back, and a person is told", async () => {
    const { tenant, failureIds } = await parked(4);
    const replay = await tenant.replay({ failureIds, stages: [1, 2] });
    expect(replay).toMatchObject({
      state: "Stopped",
      stage: 1,
      reached: 1,
      counts: { parked: 1 },
      reason: "In stage 1, 1 of 1 failed.",
    });
    const back = await tenant.failures(4);
    expect(back.filter(({ attempts }) => attempts === 2)).toHaveLength(1);
    const { items } = await tenant.get<{ items: { code: string; message: string; runbook: string }[] }>(
      "escalations",
    );
    expect(items.filter(({ code }) => code === "REPLAY_STOPPED")).toMatchObject([
      { message: expect.stringContaining(replay.replayId) as unknown, runbook: "replay" },
    ]);
    const stopped = lines.filter((line) => line["runId"] === replay.replayId).map((line) => line["event"]);
    expect(stopped).toEqual(["replay.started", "replay.stopped"]);
    const outcomes = (await itemsOf(tenant, replay.replayId)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["parked", "not-reached", "not-reached", "not-reached"]);
  });

  test("FST-02: a later stage stops it as well, and what went well before stays", async () => {
    const { tenant, path, failureIds } = await parked(8);
    sink.reply(path, {}, {}, {}, { status: 401 });
    const replay = await tenant.replay({ failureIds, stages: [1, 2, 5] });
    expect(replay).toMatchObject({ state: "Stopped", stage: 3, counts: { done: 3, parked: 5 } });
    expect(sink.effects(path)).toHaveLength(3);
  });

  test("goes through as many stages as it takes, and its history stays short", async () => {
    const { tenant, path } = await parked(30);
    sink.reply(path, {});
    const replay = await tenant.replay({ failures: {}, stages: [1] });
    expect(replay).toMatchObject({ state: "Completed", stage: 30, counts: { done: 30 } });
    expect(sink.effects(path)).toHaveLength(30);
    const instance = await stack.host.waitFor(replay.replayId, (found) => found !== undefined);
    expect(JSON.stringify(instance).length).toBeLessThan(20_000);
  });

  test("an attempt that will be made again counts as failed", async () => {
    const { tenant, path, failureIds } = await parked(2, { retryProfile: "STANDARD" });
    sink.reply(path, { status: 503 });
    const replay = await tenant.replay({ failureIds });
    expect(replay).toMatchObject({ state: "Stopped", counts: { retrying: 1 } });
    const [retrying] = await tenant.failures(1, "Retrying");
    expect(retrying).toMatchObject({ attempts: 2, replayId: replay.replayId });
    const { items } = await tenant.dryRun({ failureIds: [retrying?.failureId] });
    expect(items).toMatchObject([{ verdict: "taken" }]);
  });

  test("keeps to its rate, is cancelled within seconds, and gives back what it has not reached", async () => {
    const { tenant, path, failureIds } = await parked(3);
    sink.reply(path, {});
    const { replayId } = await tenant.start({ failureIds, ratePerMinute: 1 });
    await sink.waitForEffects(1, path);
    await tenant.failures(2, "ReadyToReplay");
    const taken = await tenant.dryRun({ failures: { state: "ReadyToReplay" } });
    expect(taken.summary).toEqual({ taken: 2 });
    const [waiting] = await tenant.failures(2, "ReadyToReplay");
    const refused = await tenant.post(`failures/${waiting?.failureId}/discard`, { reason: "in the way" });
    expect(refused.status).toBe(409);
    expect((await tenant.post(`replays/${replayId}/cancel`)).status).toBe(202);
    const replay = await tenant.over(replayId);
    expect(replay).toMatchObject({ state: "Cancelled", reached: 1, counts: { done: 1 } });
    await tenant.failures(2);
    expect(sink.effects(path)).toHaveLength(1);
    const again = await tenant.post(`replays/${replayId}/cancel`);
    expect(again.body).toMatchObject({ state: "Cancelled" });
  });

  test("one that is over cannot be cancelled", async () => {
    const { tenant, path, failureIds } = await parked(1);
    sink.reply(path, {});
    const { replayId } = await tenant.replay({ failureIds });
    expect((await tenant.post(`replays/${replayId}/cancel`)).status).toBe(409);
  });

  test("what a replay that is lost had taken is given back by cancelling it", async () => {
    const { tenant, failureIds } = await parked(2);
    const { run } = await takenBy(tenant, failureIds);
    await tenant.failures(2, "ReadyToReplay");
    expect((await tenant.post(`replays/${run.replayId}/cancel`)).status).toBe(202);
    expect(await tenant.over(run.replayId)).toMatchObject({ state: "Cancelled" });
    await tenant.failures(2);
  });

  test("is in the audit, with who asked for what; a dry run is not", async () => {
    const { tenant, path, failureIds } = await parked(1);
    sink.reply(path, {});
    await tenant.dryRun({ failureIds });
    const { replayId } = await tenant.replay({ failureIds });
    const { items } = await tenant.get<{ items: { action: string; target: string; phase: string }[] }>(
      "audit",
    );
    const about = items.filter(({ action }) => action.startsWith("replay."));
    expect(about).toMatchObject([
      { phase: "done", target: `replays/${replayId}` },
      { phase: "intent", details: { failureIds } },
    ]);
  });
});

const silent = { event: () => {} };

/** The steps up to the run, made by hand, each of them twice. */
async function takenBy(tenant: ReplayingTenant, failureIds: readonly string[]): Promise<{ run: Run }> {
  const { tenantId } = tenant;
  const replayId = newReplayId(new Date());
  const settings = { ...replayDefaults, stages: [10] };
  const selector = { failureIds };
  await createReplay(await own.platform.table(replaysTable), {
    tenantId,
    replayId,
    selector,
    settings,
    createdAt: new Date(),
    createdBy: "test",
  });
  const begun = newRun(tenantId, replayId, settings);
  await collectItems(own, silent, nextTask(begun));
  const run = afterCollecting(begun, await collectItems(own, silent, nextTask(begun)));
  await takeItems(own, silent, nextTask(run));
  await takeItems(own, silent, nextTask(run));
  return { run: { ...run, taken: run.total, phase: "run" } };
}

describe("a step of a replay that is made twice", () => {
  test("has its effects once and the same outcomes, one after the other and at once", async () => {
    const { tenant, path, failureIds } = await parked(4);
    sink.reply(path, {}, {}, { status: 401 });
    const { run } = await takenBy(tenant, failureIds);
    const task = { run, from: 0, to: 4 };
    const first = await runChunk(own, silent, task);
    expect(first.counts).toEqual({ done: 2, parked: 2 });
    expect(await runChunk(own, silent, task)).toEqual(first);
    expect(sink.effects(path)).toHaveLength(2);
    // As if the process had died before it wrote the outcomes down.
    const table = await own.platform.table(replayItemsTable);
    for (const { number } of await readItems(table, tenant.tenantId, run.replayId, 0, 4)) {
      const rowKey = String(99_999 - number).padStart(5, "0");
      const row = await table.getEntity(`${tenant.tenantId}|${run.replayId}`, rowKey);
      const { outcome: _, verdict: __, doneAt: ___, ...rest } = row;
      await table.updateEntity({ ...rest, partitionKey: row.partitionKey ?? "", rowKey }, "Replace");
    }
    const twice = await Promise.all([runChunk(own, silent, task), runChunk(own, silent, task)]);
    expect(twice).toEqual([first, first]);
    expect(sink.effects(path)).toHaveLength(2);
    expect(sink.requests.filter((request) => request.path === path)).toHaveLength(4 + 4);
  });

  test("two at once from the start do nothing twice", async () => {
    const { tenant, path, failureIds } = await parked(3);
    sink.reply(path, { delayMs: 100 });
    const { run } = await takenBy(tenant, failureIds);
    const task = { run, from: 0, to: 3 };
    await Promise.all([runChunk(own, silent, task), runChunk(own, silent, task)]);
    await until("the failures to be resolved", async () => {
      const states = await Promise.all(
        failureIds.map((id) => findFailure(own.failures.failures, tenant.tenantId, id)),
      );
      return states.every((failure) => failure?.state === "Resolved") ? true : undefined;
    });
    expect(sink.effects(path)).toHaveLength(3);
  });

  test("and has run out of time comes back to what it has not done", async () => {
    const { tenant, path, failureIds } = await parked(2);
    sink.reply(path, {});
    const { run } = await takenBy(tenant, failureIds);
    const task = { run, from: 0, to: 2 };
    const late = await runChunk(own, silent, task, Date.now());
    expect(late).toMatchObject({ unfinished: true });
    expect(afterRunning(task, late)).toBe(run);
    expect(await runChunk(own, silent, task)).toEqual({ counts: { done: 2 }, cancelled: false });
    expect(sink.effects(path)).toHaveLength(2);
  });

  test("gives back once, and leaves what has moved on", async () => {
    const { tenant, failureIds } = await parked(2);
    const { run } = await takenBy(tenant, failureIds);
    const task = { run, from: 0, to: 2 };
    await giveItemsBack(own, silent, task);
    await tenant.failures(2);
    const [failureId = ""] = failureIds;
    const discarded = await tenant.post(`failures/${failureId}/discard`, { reason: "not wanted" });
    expect(discarded.status).toBe(200);
    await giveItemsBack(own, silent, task);
    await tenant.failures(1, "Discarded");
  });
});
