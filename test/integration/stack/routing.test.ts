import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { stableId } from "../../../shared/envelope/ids.ts";
import { findBacklogRoute, postponeBacklog, takeFromBacklog } from "../../../shared/ledgers/backlog.ts";
import { putConfig, routeConfigsTable } from "../../../shared/ledgers/configs.ts";
import { claimEffect, completeEffect, findEffect } from "../../../shared/ledgers/effects.ts";
import { type Services, services } from "../../../shared/services.ts";
import { executeWork } from "../../../shared/work/execute.ts";
import { createApiClient } from "../../support/api-client.ts";
import { issueKey } from "../../support/issue-key.ts";
import { pullRequest, pullRequestRoute, type Scenario, scenarioOn } from "../../support/scenario.ts";
import { type Sink, startSink } from "../../support/sink.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";
import { until } from "../../support/until.ts";

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

interface RouteOfEvent {
  readonly routeName: string;
  readonly state: string;
  readonly reason?: string;
  readonly subscriptionName?: string;
  readonly ledger?: { readonly key: string; readonly sideEffectRef?: string; readonly correlationId: string };
  readonly failure?: { readonly code: string; readonly attempts: number };
}

interface Told {
  readonly status: string;
  readonly routes: readonly RouteOfEvent[];
  readonly timeline: readonly {
    readonly kind: string;
    readonly routeName?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  }[];
}

interface Tenant extends Scenario {
  readonly tenantId: string;
  readonly put: (routes: readonly object[], more?: object) => Promise<string>;
  /** The id of the event. */
  readonly deliver: (payload?: object, id?: string) => Promise<string>;
  readonly told: (eventId: string) => Promise<Told>;
  readonly inState: (
    eventId: string,
    routeName: string,
    state: string,
    reason?: string,
  ) => Promise<RouteOfEvent>;
  readonly post: (path: string, body?: object) => Promise<unknown>;
}

/** Each test has a tenant of its own, with a hook of its own. */
async function newTenant(): Promise<Tenant> {
  const tenantId = `t-${randomUUID().slice(0, 8)}`;
  const apiKey = await issueKey(stack.platform, { tenantId });
  const scenario = scenarioOn({ ...stack, apiKey }, sink);
  const { api } = scenario;
  const hook = await scenario.connect();
  const told = async (eventId: string): Promise<Told> => {
    const answer = await api.request("GET", `/api/v1/events/${eventId}?data=false`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Told;
  };
  return {
    ...scenario,
    tenantId,
    told,
    put: async (routes, more = {}) => {
      const body = { routes, endpoints: { sink: { url: sink.url } }, ...more };
      const answer = await api.request("PUT", "/api/v1/config/routes", { body });
      expect(answer.status, answer.text).toBe(200);
      return (answer.body as { hash: string }).hash;
    },
    deliver: async (payload = pullRequest(), id = randomUUID()) => {
      const response = await hook.deliver({ payload, id });
      return ((await response.json()) as { correlationId: string }).correlationId;
    },
    inState: (eventId, routeName, state, reason) =>
      until(`${routeName} to be ${state}`, async () => {
        const { routes } = await told(eventId);
        const found = routes.find((one) => one.routeName === routeName && one.state === state);
        return reason === undefined || found?.reason === reason ? found : undefined;
      }),
    post: async (path, body) => {
      const answer = await api.request("POST", `/api/v1/${path}`, body && { body });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
}

/** A route to a path of its own at the sink. */
function routeTo(path: string, changes: object = {}): typeof pullRequestRoute {
  const routeName = path.slice(1);
  const operation = { ...pullRequestRoute.operation, path, sideEffectRefPath: "id" };
  return { ...pullRequestRoute, routeName, operation, ...changes };
}

function logged(event: string, eventId: string): Readonly<Record<string, unknown>>[] {
  return lines.filter((line) => line["event"] === event && line["eventId"] === eventId);
}

describe("which routes an event takes", () => {
  test("RTE-01: two routes with different targets both run", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/one"), routeTo("/two", { endpointKey: "second" })], {
      endpoints: { sink: { url: sink.url }, second: { url: sink.url } },
    });
    const eventId = await tenant.deliver();
    await tenant.inState(eventId, "one", "DONE");
    await tenant.inState(eventId, "two", "DONE");
    expect([sink.effects("/one").length, sink.effects("/two").length]).toEqual([1, 1]);
  });

  test("RTE-02: a disabled route is skipped, and that is said in the timeline and the log", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/disabled", { enabled: false })]);
    const eventId = await tenant.deliver();
    await tenant.inState(eventId, "disabled", "SKIPPED", "DISABLED");
    await stack.host.idle();
    expect((await tenant.told(eventId)).status).toBe("SKIPPED");
    expect(logged("route.skipped", eventId)).toMatchObject([{ routeName: "disabled", action: "DISABLED" }]);
    expect(sink.effects("/disabled")).toEqual([]);
  });

  test("RTE-02: a subscription that names no route makes a dead letter CONFIG_MISSING", async () => {
    const tenant = await newTenant();
    const subscription = {
      subscriptionName: "lost",
      objectType: "pull_request",
      eventType: "*",
      enabled: true,
      routeName: "gone",
    };
    const config = { routes: [], subscriptions: [subscription] };
    const refused = await tenant.api.request("PUT", "/api/v1/config/routes", { body: config });
    expect(refused.text).toContain("UNKNOWN_ROUTE");
    // As a version would be that was stored before this was checked.
    const table = await stack.platform.table(routeConfigsTable);
    await putConfig(table, tenant.tenantId, config, { by: "test", now: new Date() });
    const eventId = await tenant.deliver();
    const { failure } = await tenant.inState(eventId, "gone", "DEAD_LETTERED");
    expect(failure).toMatchObject({ code: "CONFIG_MISSING", attempts: 1 });
    await stack.host.idle();
    expect((await tenant.told(eventId)).status).toBe("CONFIG_MISSING");
    expect(logged("work.parked", eventId)).toMatchObject([{ errorCode: "CONFIG_MISSING" }]);
  });

  test("RTE-02: of routes that mean the same the one with the highest priority runs, always", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/low"), routeTo("/high", { priority: 10 }), routeTo("/also-low")]);
    for (const number of [1, 2, 3]) {
      const eventId = await tenant.deliver(pullRequest(number));
      await tenant.inState(eventId, "high", "DONE");
      const { reason } = await tenant.inState(eventId, "low", "SKIPPED");
      expect(reason).toBe("SHADOWED");
    }
    expect([sink.effects("/low").length, sink.effects("/also-low").length]).toEqual([0, 0]);
  });

  test("ING-12: a route with filters takes what passes them", async () => {
    const tenant = await newTenant();
    const filters = [{ path: "pull_request.labels[*].name", operator: "Equals", value: "urgent" }];
    await tenant.put([routeTo("/urgent", { filters })]);
    const urgent = await tenant.deliver(pullRequest(1));
    await tenant.inState(urgent, "urgent", "DONE");
    const payload = pullRequest(2) as { pull_request: object };
    const other = await tenant.deliver({
      ...payload,
      pull_request: { ...payload.pull_request, labels: [{ name: "later" }] },
    });
    expect((await tenant.inState(other, "urgent", "SKIPPED")).reason).toBe("FILTERED");
    const explained = await tenant.post("config/routes/explain", { eventId: other });
    expect(explained).toMatchObject({ routes: [{ filters: [{ holds: false, found: ["later"] }] }] });
  });

  test("ING-14: a watch-events subscription chooses a route that matches nothing by itself", async () => {
    const tenant = await newTenant();
    const { subject: _, ...watched } = routeTo("/watched");
    const subscription = {
      subscriptionName: "opened-pulls",
      objectType: "pull_request",
      eventType: "opened",
      enabled: true,
      filterJson: [{ path: "pull_request.state", operator: "Equals", value: "open" }],
      routeName: "watched",
    };
    await tenant.put([watched], { subscriptions: [subscription] });
    const eventId = await tenant.deliver();
    const done = await tenant.inState(eventId, "watched", "DONE");
    expect(done.subscriptionName).toBe("opened-pulls");
    const again = await tenant.deliver();
    expect((await tenant.inState(again, "watched", "DEDUPE_HIT")).ledger?.key).toBe(done.ledger?.key);
    await tenant.put([watched], { subscriptions: [{ ...subscription, enabled: false }] });
    const later = await tenant.deliver(pullRequest(2));
    await until("the event to be routed", async () =>
      (await tenant.told(later)).status === "UNMATCHED" ? true : undefined,
    );
  });
});

describe("a configuration that changes while work is under way", () => {
  test("RTE-03: what was routed is done by the version it was routed by", async () => {
    const tenant = await newTenant();
    const before = await tenant.put([routeTo("/before", { routeName: "pinned" })]);
    await tenant.post("routes/pinned/pause", { reason: "A change is coming" });
    const eventId = await tenant.deliver();
    await tenant.inState(eventId, "pinned", "WAITING", "PAUSED");
    const after = await tenant.put([routeTo("/after", { routeName: "pinned" })]);
    expect(after).not.toBe(before);
    expect(await tenant.post("routes/pinned/resume")).toMatchObject({ wasPaused: true, drained: 1 });
    await tenant.inState(eventId, "pinned", "DONE");
    expect([sink.effects("/before").length, sink.effects("/after").length]).toEqual([1, 0]);
    const { timeline } = await tenant.told(eventId);
    expect(timeline.find(({ kind }) => kind === "routed")?.details).toMatchObject({ configHash: before });
    await stack.host.idle();
    expect(logged("work.executed", eventId)).toMatchObject([{ configHash: before }]);
  });

  test("OPS-01: a route disabled mid-flight holds its work, and does it once it is enabled again", async () => {
    const tenant = await newTenant();
    sink.reply("/flight", { status: 503 }, {});
    await tenant.put([routeTo("/flight", { retryProfile: "QUICK" })], {
      retryProfiles: { QUICK: { waitsSeconds: [1, 1], jitter: 0 } },
    });
    const eventId = await tenant.deliver();
    await tenant.inState(eventId, "flight", "RETRYING");
    const disabled = await tenant.post("routes/flight/disable");
    expect(disabled).toMatchObject({ enabled: false, version: 2, changed: true });
    await tenant.inState(eventId, "flight", "WAITING", "DISABLED");
    const status = await tenant.api.request("GET", "/api/v1/routes/flight");
    expect(status.body).toMatchObject({ enabled: false, backlog: { count: 1, isMore: false } });
    await stack.host.fire("drain-backlog");
    expect((await tenant.told(eventId)).routes).toMatchObject([{ state: "WAITING" }]);
    expect(await tenant.post("routes/flight/enable")).toMatchObject({ version: 3, drained: 1 });
    await tenant.inState(eventId, "flight", "DONE");
    expect(sink.effects("/flight")).toHaveLength(1);
  });
});

describe("how a route is paced", () => {
  test("RTE-06: a rate limit per minute spreads the work", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/limited", { rateLimitPerMin: 60 })]);
    await Promise.all([1, 2, 3].map((number) => tenant.deliver(pullRequest(number))));
    const requests = await sink.waitFor(3, "/limited");
    const [first, , third] = requests.map(({ at }) => at.getTime());
    expect((third ?? 0) - (first ?? 0)).toBeGreaterThan(1_700);
  });

  test("RTE-06: batch size, retries and alert channel are the route's own", async () => {
    const tenant = await newTenant();
    sink.reply("/own", { status: 503 });
    const paced = { mode: "drain", workerBatchSize: 1, maxCyclesPerRun: 2, maxRetries: 0 };
    await tenant.put([routeTo("/own", { ...paced, alertChannel: "#orders" })]);
    const events = await Promise.all([1, 2, 3].map((number) => tenant.deliver(pullRequest(number))));
    for (const eventId of events) await tenant.inState(eventId, "own", "WAITING");
    const status = await until("the subject to be noted", async () => {
      const { body } = await tenant.api.request("GET", "/api/v1/routes/own");
      return (body as { matchedSubjects: string[] }).matchedSubjects.length > 0 ? body : undefined;
    });
    expect(status).toMatchObject({
      settings: { ...paced, alertChannel: "#orders", drainIntervalMin: 5 },
      backlog: { count: 3 },
      matchedSubjects: ["github.events.pull_request.opened"],
    });
    expect(await tenant.post("routes/own/drain")).toEqual({ routeName: "own", drained: 2 });
    expect(await tenant.post("routes/own/drain")).toEqual({ routeName: "own", drained: 1 });
    const { failure } = await tenant.inState(events[0] ?? "", "own", "DEAD_LETTERED");
    expect(failure).toMatchObject({ code: "HTTP_503", attempts: 1 });
  });

  test("RTE-08, ING-11: in drain mode work gathers until its turn, and how long it waited is measured", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/feed", { rateProfile: "FEED_SAFE_5MIN" })]);
    const eventId = await tenant.deliver();
    await tenant.inState(eventId, "feed", "WAITING");
    await stack.host.fire("drain-backlog");
    expect((await tenant.told(eventId)).routes).toMatchObject([{ state: "WAITING" }]);
    const waiting = await findBacklogRoute(own.backlog.routes, tenant.tenantId, "feed");
    if (waiting === undefined) throw new Error("Nothing waits");
    const { body } = await tenant.api.request("GET", "/api/v1/routes/feed");
    const { waitingSince } = (body as { backlog: { waitingSince: string } }).backlog;
    expect(waiting.dueAt.getTime() - Date.parse(waitingSince)).toBe(5 * 60_000);
    await postponeBacklog(own.backlog.routes, waiting, new Date());
    await stack.host.fire("drain-backlog");
    await tenant.inState(eventId, "feed", "DONE");
    const drained = lines.find(
      (line) => line["event"] === "backlog.drained" && line["tenantId"] === tenant.tenantId,
    );
    expect(drained).toMatchObject({ routeName: "feed", count: 1, durationMs: expect.any(Number) as number });
  });

  test("ING-11: in inline mode the router acts at once, without the queue", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/inline", { mode: "inline" })]);
    const eventId = await tenant.deliver();
    await tenant.inState(eventId, "inline", "DONE");
    await stack.host.idle();
    expect(logged("work.executed", eventId)).toMatchObject([{ scenarioName: "route-event" }]);
    expect(sink.effects("/inline")).toHaveLength(1);
  });

  test("RTE-07: an update older than what was applied is skipped", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/versions", { staleGuard: true })]);
    const at = (time: string): object => {
      const payload = pullRequest(1) as { pull_request: object };
      return { ...payload, pull_request: { ...payload.pull_request, updated_at: time } };
    };
    const newer = await tenant.deliver(at("2026-11-18T10:05:00Z"));
    await tenant.inState(newer, "versions", "DONE");
    const older = await tenant.deliver(at("2026-11-18T10:00:00Z"));
    await tenant.inState(older, "versions", "STALE");
    expect(sink.effects("/versions")).toHaveLength(1);
  });
});

describe("what is handed to a worker", () => {
  test("RTE-05: is a work item, and its outcome says what was done and where that is written", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/handed", { mode: "drain" })]);
    const eventId = await tenant.deliver();
    await tenant.inState(eventId, "handed", "WAITING");
    const [waiting] = await takeFromBacklog(own.backlog.backlog, tenant.tenantId, "handed", 1);
    if (waiting === undefined) throw new Error("Nothing waits");
    expect(waiting.item).toMatchObject({
      eventId,
      objectType: "pull_request",
      objectId: "acme/shop#1",
      correlationId: eventId,
      payloadHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      receivedAt: expect.stringMatching(/^\d{4}-/) as string,
    });
    const silent = { info: () => {}, warn: () => {}, error: () => {} };
    const outcome = await executeWork(own, own.logTo(silent, "test"), waiting.item);
    expect(outcome).toEqual({
      status: "DONE",
      processedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      sideEffectRefs: [expect.stringMatching(/^effect-\d+$/) as string],
      ledgerRef: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
    const again = await executeWork(own, own.logTo(silent, "test"), waiting.item);
    expect(again).toMatchObject({ status: "DEDUPE_HIT", sideEffectRefs: outcome.sideEffectRefs });
    expect(sink.effects("/handed")).toHaveLength(1);
  });
});

describe("the ledger of side effects", () => {
  test("LED-01, LED-02: the same again under another delivery is a dedupe hit, with what was done", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/once")]);
    const first = await tenant.deliver(pullRequest(1));
    const done = await tenant.inState(first, "once", "DONE");
    const second = await tenant.deliver(pullRequest(1));
    expect(second).not.toBe(first);
    const hit = await tenant.inState(second, "once", "DEDUPE_HIT");
    expect(hit.ledger).toMatchObject({
      key: done.ledger?.key,
      sideEffectRef: done.ledger?.sideEffectRef,
      correlationId: first,
    });
    await stack.host.idle();
    expect(logged("work.deduplicated", second)).toMatchObject([
      { action: "DEDUPE_HIT", idempotencyKey: done.ledger?.key },
    ]);
    const changed = await tenant.deliver(pullRequest(1, { edited: true }));
    expect((await tenant.inState(changed, "once", "DONE")).ledger?.key).not.toBe(done.ledger?.key);
    expect(sink.effects("/once")).toHaveLength(2);
  });

  test("LED-05: once for a record is once, whatever the payload; without a ledger it is every time", async () => {
    const tenant = await newTenant();
    await tenant.put([
      routeTo("/record", { intendedAction: "create", ledger: { uniquenessLevel: "record" } }),
      routeTo("/every", { intendedAction: "tell", ledger: { required: false } }),
    ]);
    const first = await tenant.deliver(pullRequest(1));
    await tenant.inState(first, "record", "DONE");
    await tenant.inState(first, "every", "DONE");
    const second = await tenant.deliver(pullRequest(1, { edited: true }));
    await tenant.inState(second, "record", "DEDUPE_HIT");
    await tenant.inState(second, "every", "DONE");
    expect([sink.effects("/record").length, sink.effects("/every").length]).toEqual([1, 2]);
  });

  test("LED-05: what is past its retention is purged, and nothing else", async () => {
    const tenantId = "demo";
    const remember = async (name: string, doneAt: Date): Promise<{ tenantId: string; key: string }> => {
      const effect = { tenantId, key: stableId("purge", name) };
      const claimant = {
        workId: name,
        attempt: 1,
        routeName: "purged",
        objectId: "1",
        correlationId: stableId(name),
        payloadHash: "",
      };
      const { effects } = own.tables;
      const answer = await claimEffect(own.commits.effects, effects, effect, claimant, doneAt, doneAt);
      if (answer.kind !== "won") throw new Error(answer.kind);
      await completeEffect(own.commits.effects, effects, answer.claim, "ref", doneAt, 30);
      return effect;
    };
    const day = 86_400_000;
    const old = await remember("old", new Date(Date.now() - 32 * day));
    const recent = await remember("recent", new Date(Date.now() - 28 * day));
    await stack.host.fire("purge-ledger");
    expect(await findEffect(own.tables.effects, old)).toBeUndefined();
    expect(await findEffect(own.tables.effects, recent)).toMatchObject({ state: "done" });
    const purged = lines.find((line) => line["event"] === "ledger.purged");
    expect(purged).toMatchObject({ tenantId, count: 1 });
  });
});

describe("a route as it runs", () => {
  test("RTE-04: is paused and resumed by operators, who leave their reason in the audit", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/paused")]);
    const as = async (role: "viewer" | "operator"): Promise<ReturnType<typeof createApiClient>> =>
      createApiClient(stack.host.url, await issueKey(stack.platform, { tenantId: tenant.tenantId, role }));
    const [viewer, operator] = [await as("viewer"), await as("operator")];
    const body = { reason: "The vendor asked us to" };
    expect((await viewer.request("POST", "/api/v1/routes/paused/pause", { body })).status).toBe(403);
    const paused = await operator.request("POST", "/api/v1/routes/paused/pause", { body });
    expect(paused.body).toEqual({ routeName: "paused", wasRunning: true });
    const again = await operator.request("POST", "/api/v1/routes/paused/pause", {
      body: { reason: "Me too" },
    });
    expect(again.body).toMatchObject({ wasRunning: false });
    const { items } = (await viewer.request("GET", "/api/v1/routes")).body as {
      items: { routeName: string; paused?: { reason: string } }[];
    };
    expect(items).toMatchObject([{ routeName: "paused", paused: body }]);
    const drain = await operator.request("POST", "/api/v1/routes/paused/drain");
    expect(drain.body).toMatchObject({ code: "conflict" });
    expect((await viewer.request("POST", "/api/v1/routes/paused/resume")).status).toBe(403);
    expect((await operator.request("POST", "/api/v1/routes/paused/resume")).status).toBe(200);
    const audit = await tenant.api.request("GET", "/api/v1/audit");
    const entries = (audit.body as { items: { action: string; phase: string; details: object }[] }).items;
    expect(entries.find(({ action, phase }) => action === "route.resume" && phase === "done")).toBeDefined();
    expect(
      entries.filter(({ action, phase }) => action === "route.pause" && phase === "intent").at(-1),
    ).toMatchObject({
      details: body,
    });
  });

  test("a route that is gone and has work waiting is shown, and what waits can be parked", async () => {
    const tenant = await newTenant();
    await tenant.put([routeTo("/orphan", { mode: "drain" })]);
    const eventId = await tenant.deliver();
    await tenant.inState(eventId, "orphan", "WAITING");
    await tenant.put([]);
    const { body } = await tenant.api.request("GET", "/api/v1/routes");
    expect(body).toMatchObject({
      items: [{ routeName: "orphan", configured: false, enabled: false, backlog: { count: 1 } }],
    });
    for (const action of ["drain", "pause", "resume", "enable", "disable"]) {
      const request = action === "pause" ? { body: { reason: "?" } } : {};
      const answer = await tenant.api.request("POST", `/api/v1/routes/orphan/${action}`, request);
      expect(answer.status, action).toBe(404);
    }
    const parked = await tenant.post("routes/orphan/park-backlog");
    expect(parked).toEqual({ routeName: "orphan", parked: 1, isMore: false });
    const { failure } = await tenant.inState(eventId, "orphan", "DEAD_LETTERED");
    expect(failure).toMatchObject({ code: "BACKLOG_PARKED", attempts: 0 });
    expect((await tenant.api.request("GET", "/api/v1/routes")).body).toEqual({ items: [] });
  });

  test("ING-10: a host that loads a configuration says what is questionable about it, once", async () => {
    const tenant = await newTenant();
    const hash = await tenant.put([routeTo("/typo", { subject: "github.events.pull_reqest.opened" })]);
    await tenant.deliver(pullRequest(1));
    const said = (): Readonly<Record<string, unknown>>[] =>
      lines.filter((line) => line["event"] === "config.diagnosed" && line["configHash"] === hash);
    const [line] = await until("the diagnosis", () => (said().length > 0 ? said() : undefined));
    expect(line?.["message"]).toContain("did you mean 'github.events.pull_request.opened'");
    await tenant.deliver(pullRequest(2));
    await stack.host.idle();
    expect(said()).toHaveLength(1);
  });
});
