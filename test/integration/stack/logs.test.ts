import { createHmac, randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { LogLine } from "../../../local/host/log.ts";
import {
  type GithubHook,
  pullRequest,
  pullRequestRoute,
  type Scenario,
  startScenario,
} from "../../support/scenario.ts";
import { until } from "../../support/until.ts";
import { lineProblems } from "../../unit/logging/line-schema.ts";

const lines: LogLine[] = [];
let scenario: Scenario;
let hook: GithubHook;
const marker = `marker-${randomUUID()}`;
const vendorSecret = `vendor-${randomUUID()}`;
const signatures: string[] = [];

const route = (routeName: string, more: object = {}): object => ({
  ...pullRequestRoute,
  routeName,
  subject: `github.events.pull_request.${routeName}`,
  retryProfile: "QUICK",
  operation: { ...pullRequestRoute.operation, path: `/${routeName}` },
  ...more,
});

/** A run in which about everything happens that the product logs about webhooks. */
beforeAll(async () => {
  scenario = await startScenario({ log: (line) => void lines.push(line), logLevel: "Trace" });
  const { sink, api } = scenario;
  hook = await scenario.connect();
  await api.request("PUT", "/api/v1/secrets/vendor", { body: { value: vendorSecret } });
  await scenario.configure(
    [
      route("done", { endpointKey: "authorised" }),
      route("retried"),
      route("parked"),
      route("refused", { floodGuard: { limit: 2, windowMin: 5 } }),
      route("disabled", { enabled: false }),
    ],
    {
      endpoints: {
        sink: { url: sink.url },
        authorised: { url: sink.url, auth: { scheme: "bearer", secretName: "vendor" } },
      },
      retryProfiles: { QUICK: { waitsSeconds: [1], jitter: 0 } },
    },
  );
  sink.reply("/retried", { status: 503 }, {});
  // Vendors quote what they were sent.
  sink.reply("/parked", { status: 401, body: { error: `invalid token for ${marker}` } });
  sink.reply("/refused", { status: 422, body: { error: `bad title ${marker}` } });
  const id = randomUUID();
  await deliver("done", id);
  await deliver("done", id);
  for (const action of ["retried", "parked", "refused", "refused", "disabled", "unknown"])
    await deliver(action);
  await logged("route.paused");
  await deliver("refused");
  await hook.deliver({ headers: { "x-hub-signature-256": `sha256=${"0".repeat(64)}` } });
  await hook.deliver({ body: Buffer.from(`{"title": "${marker}`) });
  const generic = await scenario.connect({ pattern: "generic" });
  await generic.deliver({ payload: payloadOf("done") });
  await fetch(`${scenario.url}/hooks/${"0".repeat(32)}`, { method: "POST", body: marker });
  for (const name of ["sweep-inbox", "drain-backlog"]) await scenario.stack.host.fire(name);
  for (const name of expected) await logged(name);
});
afterAll(() => scenario?.stop());

function logged(name: string): Promise<unknown> {
  return until(`${name} to be logged`, () => events().find(({ event }) => event === name));
}

const expected = [
  "webhook.accepted",
  "webhook.repeated",
  "webhook.refused",
  "webhook.quarantined",
  "event.routed",
  "event.unmatched",
  "event.dispatched",
  "route.skipped",
  "route.paused",
  "work.executed",
  "work.retrying",
  "work.parked",
  "work.quarantined",
  "work.held",
  "failure.resolved",
];

let number = 0;
function payloadOf(action: string): object {
  return pullRequest(++number, { action, body: marker, pull_request: pullRequestOf(number) });
}

function pullRequestOf(id: number): object {
  return { id, number: id, title: marker, state: "open", updated_at: "2026-11-18T10:00:00Z" };
}

async function deliver(action: string, id = randomUUID()): Promise<void> {
  const body = Buffer.from(JSON.stringify(payloadOf(action)));
  signatures.push(createHmac("sha256", hook.secret).update(body).digest("hex"));
  const response = await hook.deliver({ id, body });
  expect(response.status).toBe(202);
}

/** What the product says itself; the host's own lines have other categories. */
const productLines = (): LogLine[] => lines.filter(({ category }) => /^Function\..+\.User$/.test(category));

function events(): {
  event: string;
  scenarioName: string;
  correlationId: string | null;
  tenantId: string | null;
}[] {
  return productLines().map(({ message }) => JSON.parse(message) as ReturnType<typeof events>[number]);
}

describe("OBS-01: every line the product logs", () => {
  test("has all the fields", () => {
    expect(productLines().flatMap(({ message }) => lineProblems(message))).toEqual([]);
    expect(productLines().length).toBeGreaterThan(expected.length);
  });

  test("says which function, in which environment, and for whom it speaks", () => {
    const missing = events().filter(({ event, tenantId }) => tenantId === null && event !== "sweep.failed");
    expect(missing).toEqual([]);
    expect(new Set(events().map(({ scenarioName }) => scenarioName))).toEqual(
      new Set(["receive-webhook", "route-event", "dispatch-generic", "execute-work"]),
    );
  });

  test("ING-06: carries the correlation id that the sender was given, at every step of the way", async () => {
    const response = await hook.deliver({ payload: payloadOf("done") });
    const { correlationId } = (await response.json()) as { correlationId: string };
    const steps = await until("the effect to be logged", () => {
      const own = events().filter((line) => line.correlationId === correlationId);
      return own.some(({ event }) => event === "work.executed") ? own.map(({ event }) => event) : undefined;
    });
    expect(steps.toSorted()).toEqual(["event.routed", "webhook.accepted", "work.executed"]);
  });
});

test("OBS-01: no line of the whole run, the host's included, holds a secret, a payload or a signature", () => {
  const secrets = [hook.secret, vendorSecret, scenario.stack.apiKey, marker, ...signatures];
  const leaks = lines.filter(({ message }) => secrets.some((secret) => message.includes(secret)));
  expect(leaks).toEqual([]);
  expect(signatures.length).toBeGreaterThan(5);
});
