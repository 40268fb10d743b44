import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readRouteConfig } from "../../../shared/config/route-schema.ts";
import { putConfig, routeConfigsTable } from "../../../shared/ledgers/configs.ts";
import { effectsTable } from "../../../shared/ledgers/effects.ts";
import { failuresTable, findFailure } from "../../../shared/ledgers/failures.ts";
import { workIdOf } from "../../../shared/work/work-item.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { collect } from "../../support/collect.ts";
import { issueKey } from "../../support/issue-key.ts";
import {
  pullRequest,
  pullRequestRoute,
  type Scenario,
  scenarioOn,
  startScenario,
} from "../../support/scenario.ts";
import { until } from "../../support/until.ts";

let scenario: Scenario;
let acme: ApiClient;
let acmeKey: string;
let eventId: string;
let failureId: string;
let connectionId: string;
beforeAll(async () => {
  scenario = await startScenario();
  const { stack, sink } = scenario;
  acmeKey = await issueKey(stack.platform);
  acme = createApiClient(stack.host.url, acmeKey);
  await scenario.configure([{ ...pullRequestRoute, retryProfile: "NONE" }]);
  sink.reply("/orders", { status: 401 });
  const hook = await scenario.connect();
  ({ connectionId } = hook);
  const response = await hook.deliver({ payload: pullRequest(1) });
  eventId = ((await response.json()) as { correlationId: string }).correlationId;
  failureId = workIdOf(eventId, pullRequestRoute.routeName);
  const failures = await stack.platform.table(failuresTable);
  await until("the failure", () => findFailure(failures, "demo", failureId));
  await until("the escalation", async () => {
    const { body } = await scenario.api.request("GET", "/api/v1/escalations");
    return (body as { items: unknown[] }).items.length > 0 ? true : undefined;
  });
});
afterAll(() => scenario?.stop());

describe("what belongs to one tenant", () => {
  test("is there for its own people", async () => {
    for (const path of ownPaths()) expect((await scenario.api.request("GET", path)).status).toBe(200);
    for (const path of lists) {
      const { body } = await scenario.api.request("GET", path);
      expect((body as { items: unknown[] }).items.length, path).toBeGreaterThan(0);
    }
  });

  test("is for another tenant as if it had never been", async () => {
    for (const path of ownPaths()) {
      const theirs = await acme.request("GET", path);
      const neverWas = await acme.request("GET", path.replaceAll(/[0-9a-f]{32}/g, "0".repeat(32)));
      expect(theirs.status, path).toBe(404);
      expect(told(theirs.body)).toEqual(told(neverWas.body));
    }
  });

  test("is in none of another tenant's lists", async () => {
    for (const path of lists) {
      const { status, text } = await acme.request("GET", path);
      expect(status).toBe(200);
      for (const id of [eventId, failureId, connectionId]) expect(text).not.toContain(id);
    }
  });

  const lists = [
    "/api/v1/events",
    "/api/v1/failures",
    "/api/v1/dead-letters",
    "/api/v1/escalations",
    "/api/v1/connections",
  ];
  const ownPaths = (): string[] => [
    `/api/v1/events/${eventId}`,
    `/api/v1/events/${eventId}/raw`,
    `/api/v1/correlations/${eventId}`,
    `/api/v1/failures/${failureId}`,
    `/api/v1/connections/${connectionId}`,
  ];
});

/** All of a problem but what is different in every answer. */
function told(body: unknown): object {
  const { correlationId: _, instance: __, ...rest } = body as Record<string, unknown>;
  return rest;
}

test("LED-01: the same event of two tenants is two effects, under keys of their own", async () => {
  const { stack, sink } = scenario;
  sink.clear();
  const config = readRouteConfig({ routes: [pullRequestRoute], endpoints: { sink: { url: sink.url } } });
  const table = await stack.platform.table(routeConfigsTable);
  await putConfig(table, "acme", config, { by: "test", now: new Date() });
  const hooks = await Promise.all([
    scenario.connect(),
    scenarioOn({ ...stack, apiKey: acmeKey }, sink).connect(),
  ]);
  const delivery = { payload: pullRequest(77), id: "the-same-delivery" };
  const responses = await Promise.all(hooks.map((hook) => hook.deliver(delivery)));
  expect(responses.map(({ status }) => status)).toEqual([202, 202]);
  await sink.waitForEffects(2, "/orders");
  const effects = await collect((await stack.platform.table(effectsTable)).listEntities());
  const keys = effects.map(({ rowKey = "" }) => rowKey).filter((key) => !key.startsWith("x|"));
  expect(new Set(keys).size).toBe(keys.length);
});
