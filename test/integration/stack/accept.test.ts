import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { pullRequest, pullRequestRoute, type Scenario, startScenario } from "../../support/scenario.ts";

let scenario: Scenario;
beforeAll(async () => {
  scenario = await startScenario();
  await scenario.configure([pullRequestRoute]);
});
afterAll(() => scenario?.stop());

describe("a webhook on its way in", () => {
  test("ING-01: is answered with 202 and a correlation id, and acted on", async () => {
    const hook = await scenario.connect();
    const response = await hook.deliver({ payload: pullRequest(1) });
    expect(response.status).toBe(202);
    const { correlationId, duplicate } = (await response.json()) as {
      correlationId: string;
      duplicate: boolean;
    };
    expect(correlationId).toMatch(/^[0-9a-f]{32}$/);
    expect(duplicate).toBe(false);
    const [effect] = await scenario.sink.waitForEffects(1, "/orders");
    expect(JSON.parse(effect?.request.body ?? "")).toEqual({ title: "Change 1" });
    expect(effect?.request.headers["x-correlation-id"]).toBe(correlationId);
  });

  test("ING-05: fifty of the same at once are one, and all get the first's correlation id", async () => {
    const hook = await scenario.connect();
    scenario.sink.clear();
    const id = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => hook.deliver({ id, payload: pullRequest(2) })),
    );
    const answers = await Promise.all(
      responses.map(
        async (response) => (await response.json()) as { correlationId: string; duplicate: boolean },
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ correlationId }) => correlationId)).size).toBe(1);
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    await scenario.sink.waitForEffects(1, "/orders");
    await scenario.stack.host.idle();
    expect(scenario.sink.effects("/orders")).toHaveLength(1);
  });
});
