import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { backlogTable, countBacklog } from "../../../shared/ledgers/backlog.ts";
import { listEscalations, escalationsTable } from "../../../shared/ledgers/escalations.ts";
import { type Failure, failuresTable, findFailure } from "../../../shared/ledgers/failures.ts";
import { readPauses, routeStatesTable } from "../../../shared/ledgers/route-states.ts";
import { readTimeline, timelineTable } from "../../../shared/ledgers/timeline.ts";
import { workIdOf } from "../../../shared/work/work-item.ts";
import {
  type GithubHook,
  pullRequest,
  pullRequestRoute,
  type Scenario,
  startScenario,
} from "../../support/scenario.ts";
import type { SinkReply } from "../../support/sink.ts";
import { until } from "../../support/until.ts";

const tenantId = "demo";
const routeNames = [
  "storm",
  "transient",
  "auth",
  "refused",
  "capped",
  "with-key",
  "with-lookup",
  "looked-up-absent",
  "with-neither",
  "retried-anyway",
  "blocked",
  "flooded",
  "held",
] as const;
type RouteName = (typeof routeNames)[number];

const operations: Partial<Record<RouteName, object>> = {
  "with-key": { idempotencyHeader: "idempotency-key" },
  "with-lookup": { lookup: { path: "/effects/{{idempotencyKey}}", sideEffectRefPath: "id" } },
  "looked-up-absent": { lookup: { path: "/effects/{{idempotencyKey}}" } },
};
const settings: Partial<Record<RouteName, object>> = {
  capped: { maxRetries: 2 },
  "retried-anyway": { inDoubt: "retry" },
  blocked: { endpointKey: "private" },
  flooded: { floodGuard: { limit: 10, windowMin: 5 }, retryProfile: "NONE" },
};

/** Each takes the pull requests whose action is its name, and sends them to a path of that name. */
function route(routeName: RouteName): object {
  return {
    ...pullRequestRoute,
    routeName,
    subject: `github.events.pull_request.${routeName}`,
    retryProfile: "QUICK",
    operation: {
      kind: "generic-http",
      method: "POST",
      path: `/${routeName}`,
      body: { reference: "{{idempotencyKey}}", title: "{{data.pull_request.title}}" },
      timeoutSeconds: 5,
      ...operations[routeName],
    },
    ...settings[routeName],
  };
}

let scenario: Scenario;
let hook: GithubHook;
beforeAll(async () => {
  scenario = await startScenario({}, { idempotencyHeader: "idempotency-key" });
  hook = await scenario.connect();
  await scenario.configure(routeNames.map(route), {
    endpoints: { sink: { url: scenario.sink.url }, private: { url: "http://10.0.0.1:9" } },
    retryProfiles: { QUICK: { waitsSeconds: [1, 1, 1, 1], jitter: 0 } },
  });
});
afterAll(() => scenario?.stop());

let number = 0;

/** Sends one event to a route; answers with its correlation id, which is its event's id. */
async function send(routeName: RouteName): Promise<string> {
  const response = await hook.deliver({ payload: pullRequest(++number, { action: routeName }) });
  expect(response.status).toBe(202);
  return ((await response.json()) as { correlationId: string }).correlationId;
}

const answers = (routeName: RouteName, ...replies: SinkReply[]): void =>
  scenario.sink.reply(`/${routeName}`, ...replies);

async function failureOf(eventId: string, routeName: RouteName): Promise<Failure | undefined> {
  return findFailure(
    await scenario.stack.platform.table(failuresTable),
    tenantId,
    workIdOf(eventId, routeName),
  );
}

function failureIn(state: Failure["state"], eventId: string, routeName: RouteName): Promise<Failure> {
  return until(`the failure of ${routeName} to be ${state}`, async () => {
    const failure = await failureOf(eventId, routeName);
    return failure?.state === state ? failure : undefined;
  });
}

async function kindsOf(correlationId: string): Promise<string[]> {
  const table = await scenario.stack.platform.table(timelineTable);
  return (await readTimeline(table, tenantId, correlationId)).map(({ kind }) => kind);
}

async function escalationsOf(routeName: RouteName): Promise<string[]> {
  const table = await scenario.stack.platform.table(escalationsTable);
  const { items } = await listEscalations(table, tenantId, 1000);
  return items.filter((each) => each.routeName === routeName).map(({ code }) => code);
}

const requestsTo = (routeName: RouteName): number =>
  scenario.sink.requests.filter(({ path }) => path === `/${routeName}`).length;

describe.concurrent("an attempt that fails", () => {
  test("ERR-03: in a storm of 429s each event ends in one effect, no sooner than the vendor asks", async () => {
    const count = 20;
    answers("storm", ...Array.from({ length: 2 * count }, () => ({ status: 429, retryAfter: 1 })), {});
    const events = await Promise.all(Array.from({ length: count }, () => send("storm")));
    await scenario.sink.waitForEffects(count, "/storm");
    for (const id of events) await failureIn("Resolved", id, "storm");
    expect(scenario.sink.effects("/storm")).toHaveLength(count);
    expect(new Set(scenario.sink.effects("/storm").map(({ reference }) => reference)).size).toBe(count);
    const times = new Map<string, number>();
    const pauses: number[] = [];
    for (const { body, at } of scenario.sink.requests.filter(({ path }) => path === "/storm")) {
      const { reference } = JSON.parse(body) as { reference: string };
      const before = times.get(reference);
      if (before !== undefined) pauses.push(at.getTime() - before);
      times.set(reference, at.getTime());
    }
    expect(pauses).toHaveLength(2 * count);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(950);
  });

  test("ERR-03: once, is made again and its failure resolved", async () => {
    answers("transient", { status: 503 }, {});
    const id = await send("transient");
    const failure = await failureIn("Resolved", id, "transient");
    expect(failure).toMatchObject({ classification: "Transient", code: "HTTP_503", family: "transient" });
    expect(scenario.sink.effects("/transient")).toHaveLength(1);
    await until("the timeline", async () => ((await kindsOf(id)).includes("resolved") ? true : undefined));
    expect(await kindsOf(id)).toEqual(expect.arrayContaining(["routed", "failed", "retrying", "executed"]));
    expect(await escalationsOf("transient")).toEqual([]);
  });

  test("for good, is parked at once and escalated", async () => {
    answers("auth", { status: 401, body: { error: "token expired" } });
    const id = await send("auth");
    const failure = await failureIn("Parked", id, "auth");
    expect(failure).toMatchObject({ classification: "Auth", code: "HTTP_401", attempts: 1, httpStatus: 401 });
    await until("the escalation", async () => ((await escalationsOf("auth")).length > 0 ? true : undefined));
    expect(await escalationsOf("auth")).toEqual(["HTTP_401"]);
    expect(requestsTo("auth")).toBe(1);
  });

  test("because of the data, is quarantined with the whole event", async () => {
    answers("refused", { status: 422, body: "no such order" });
    const id = await send("refused");
    const failure = await failureIn("Quarantined", id, "refused");
    expect(failure).toMatchObject({ family: "data-quality", code: "HTTP_422" });
    const item = JSON.parse(failure.workItem) as { envelope: { id: string; data: { action: string } } };
    expect(item.envelope).toMatchObject({ id, data: { action: "refused" } });
  });

  test("again and again, is made as often as the route allows, and then parked", async () => {
    answers("capped", { status: 500 });
    const id = await send("capped");
    expect(await failureIn("Parked", id, "capped")).toMatchObject({ attempts: 3, code: "HTTP_500" });
    expect(requestsTo("capped")).toBe(3);
    await until("the escalation", async () =>
      (await escalationsOf("capped")).length > 0 ? true : undefined,
    );
    expect(await escalationsOf("capped")).toEqual(["HTTP_500"]);
  });

  test("because its address is not allowed, never leaves and is parked", async () => {
    const id = await send("blocked");
    const failure = await failureIn("Parked", id, "blocked");
    expect(failure).toMatchObject({ code: "ADDRESS_BLOCKED", attempts: 1, mayHaveHappened: false });
  });
});

describe.concurrent("LED-04: a success whose answer is lost", () => {
  test("is one effect where the vendor honours the key", async () => {
    answers("with-key", { end: "drop" }, {});
    const id = await send("with-key");
    await failureIn("Resolved", id, "with-key");
    expect(requestsTo("with-key")).toBe(2);
    expect(scenario.sink.effects("/with-key")).toHaveLength(1);
  });

  test("is one effect where the vendor can be asked for it", async () => {
    answers("with-lookup", { end: "drop" }, {});
    const id = await send("with-lookup");
    await failureIn("Resolved", id, "with-lookup");
    expect(requestsTo("with-lookup")).toBe(1);
    expect(scenario.sink.effects("/with-lookup")).toHaveLength(1);
    await until("the timeline", async () => ((await kindsOf(id)).includes("executed") ? true : undefined));
    expect(await kindsOf(id)).toContain("resolvedInDoubt");
  });

  test("is made after all where the vendor says it has not happened", async () => {
    answers("looked-up-absent", { end: "drop", effect: false }, {});
    const id = await send("looked-up-absent");
    await failureIn("Resolved", id, "looked-up-absent");
    expect(requestsTo("looked-up-absent")).toBe(2);
    expect(scenario.sink.effects("/looked-up-absent")).toHaveLength(1);
  });

  test("is parked in doubt, and not made again, where nobody can tell", async () => {
    answers("with-neither", { end: "drop" }, {});
    const id = await send("with-neither");
    const failure = await failureIn("Parked", id, "with-neither");
    expect(failure).toMatchObject({ code: "IN_DOUBT", mayHaveHappened: true });
    expect(scenario.sink.effects("/with-neither")).toHaveLength(1);
    expect(requestsTo("with-neither")).toBe(1);
  });

  test("is made again all the same where the route says so", async () => {
    answers("retried-anyway", { end: "drop" }, {});
    const id = await send("retried-anyway");
    await failureIn("Resolved", id, "retried-anyway");
    expect(requestsTo("retried-anyway")).toBe(2);
  });
});

describe("work that must wait", () => {
  test("RTE-02: a route disabled in mid-flight holds what is under way, and goes on with it when enabled", async () => {
    answers("held", { status: 503, retryAfter: 1 }, {});
    const id = await send("held");
    await failureIn("Retrying", id, "held");
    await scenario.api.request("POST", "/api/v1/routes/held/disable");
    await until("the work to be held", async () => ((await kindsOf(id)).includes("held") ? true : undefined));
    expect(scenario.sink.effects("/held")).toEqual([]);
    await scenario.api.request("POST", "/api/v1/routes/held/enable");
    await failureIn("Resolved", id, "held");
    expect(scenario.sink.effects("/held")).toHaveLength(1);
  });

  test("ERR-12: a flood of dead letters pauses the route, tells one person once, and keeps the rest", async () => {
    const { platform } = scenario.stack;
    const [backlog, routeStates, failures] = await Promise.all(
      [backlogTable, routeStatesTable, failuresTable].map((name) => platform.table(name)),
    );
    if (!backlog || !routeStates || !failures) throw new Error("There are three tables");
    answers("flooded", { status: 422 });
    const first = await Promise.all(Array.from({ length: 12 }, () => send("flooded")));
    await until("the route to be paused", async () =>
      Object.hasOwn(await readPauses(routeStates, tenantId), "flooded") ? true : undefined,
    );
    const rest = await Promise.all(Array.from({ length: 68 }, () => send("flooded")));
    const ids = [...first, ...rest];
    const outcomes = await until("all of it to be dead or waiting", async () => {
      const found = await Promise.all(ids.map((id) => failureOf(id, "flooded")));
      const dead = found.filter((failure) => failure !== undefined).length;
      const { count: waiting } = await countBacklog(backlog, tenantId, "flooded", 1000);
      return dead + waiting === ids.length ? { dead, waiting } : undefined;
    });
    expect(outcomes.dead).toBeGreaterThanOrEqual(10);
    expect(outcomes.waiting).toBeGreaterThanOrEqual(60);
    const paused = (await escalationsOf("flooded")).filter((code) => code === "ROUTE_PAUSED");
    expect(paused).toHaveLength(1);

    answers("flooded", {});
    await scenario.api.request("POST", "/api/v1/routes/flooded/resume");
    await until("the backlog to be done", async () => {
      await scenario.stack.host.fire("drain-backlog");
      return scenario.sink.effects("/flooded").length === outcomes.waiting ? true : undefined;
    });
    expect((await countBacklog(backlog, tenantId, "flooded", 1000)).count).toBe(0);
    expect((await escalationsOf("flooded")).filter((code) => code === "ROUTE_PAUSED")).toHaveLength(1);
  });
});
