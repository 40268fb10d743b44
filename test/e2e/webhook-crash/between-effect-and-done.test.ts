import { expect, test } from "vitest";

import { effectsTable } from "../../../shared/ledgers/effects.ts";
import { collect } from "../../support/collect.ts";
import { pullRequest, pullRequestRoute } from "../../support/scenario.ts";
import { until } from "../../support/until.ts";
import { startCrashStack } from "./crash-stack.ts";

test("LED-04: a host killed between the side effect and done leads to one effect at the vendor, and done", async () => {
  const stack = await startCrashStack();
  const { sink } = stack;
  const operation = {
    ...pullRequestRoute.operation,
    idempotencyHeader: "idempotency-key",
    sideEffectRefPath: "id",
    timeoutSeconds: 3,
  };
  await stack.configure([{ ...pullRequestRoute, operation }]);
  const hook = await stack.connect();
  // The vendor does it and does not answer any more, until it is asked again.
  sink.reply("/orders", { end: "hang" });
  const count = 5;
  for (let n = 1; n <= count; n++) expect((await hook.deliver({ payload: pullRequest(n) })).status).toBe(202);
  await sink.waitForEffects(count, "/orders");
  await stack.killHost();
  const effects = await stack.stack.platform.table(effectsTable);
  const done = await until("all of it to be done", async () => {
    const rows = await collect(effects.listEntities<{ state: string; sideEffectRef: string }>());
    const found = rows.filter(({ state }) => state === "done");
    return found.length === count ? found : undefined;
  });
  expect(sink.effects("/orders")).toHaveLength(count);
  expect(done.map(({ sideEffectRef }) => sideEffectRef).toSorted()).toEqual(
    sink
      .effects("/orders")
      .map(({ id }) => id)
      .toSorted(),
  );
});
