import { expect, test } from "vitest";

import { pullRequest, pullRequestRoute } from "../../support/scenario.ts";
import { until } from "../../support/until.ts";
import { startCrashStack } from "./crash-stack.ts";

test("ING-01: webhooks answered while the bus hung, by a host killed before it could publish, are acted on", async () => {
  const stack = await startCrashStack();
  const { sink } = stack;
  const operation = {
    ...pullRequestRoute.operation,
    idempotencyHeader: "idempotency-key",
    timeoutSeconds: 2,
  };
  await stack.configure([{ ...pullRequestRoute, operation }]);
  const hook = await stack.connect();
  // The first webhook makes the connections, so that the rest finds a bus that is there and does not answer.
  await hook.deliver({ payload: pullRequest(0) });
  await sink.waitForEffects(1, "/orders");
  stack.freezeBus();
  const count = 20;
  const responses = await Promise.all(
    Array.from({ length: count }, (_, n) => hook.deliver({ payload: pullRequest(n + 1) })),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  expect(sink.effects("/orders")).toHaveLength(1);
  // What the host had sent is lost with the bus, which had not even read it.
  await stack.killHost(() => stack.killBus());
  await until("every webhook to be acted on", async () => {
    if (sink.effects("/orders").length > count) return true;
    await stack.sweep();
    return undefined;
  });
  expect(sink.effects("/orders")).toHaveLength(count + 1);
}, 60_000);
