import { setTimeout as delay } from "node:timers/promises";

import { expect, test } from "vitest";

import { failureIndexTable, failuresTable } from "../../../shared/ledgers/failures.ts";
import { listFailures } from "../../../shared/ledgers/failure-index.ts";
import { type GithubHook, pullRequest, pullRequestRoute } from "../../support/scenario.ts";
import { until } from "../../support/until.ts";
import { startCrashStack } from "./crash-stack.ts";

const count = 200;
const kills = 3;
const atOnce = 8;

test("ING-01, LED-03: a host killed three times under load acts exactly once on every webhook it answered", async () => {
  const stack = await startCrashStack();
  const { sink } = stack;
  const operation = {
    ...pullRequestRoute.operation,
    idempotencyHeader: "idempotency-key",
    timeoutSeconds: 2,
  };
  await stack.configure([{ ...pullRequestRoute, operation, retryProfile: "QUICK" }], {
    retryProfiles: { QUICK: { waitsSeconds: [1, 1, 1, 1, 1, 1], jitter: 0 } },
  });
  const hook = await stack.connect();
  let next = 0;
  let answered = 0;
  let resent = 0;
  const sending = Array.from({ length: atOnce }, async () => {
    for (let n = next++; n < count; n = next++) {
      while (!(await isAccepted(hook, n))) resent++;
      answered++;
    }
  });
  for (let kill = 1; kill <= kills; kill++) {
    await until("enough to be under way", () => (answered > (count / (kills + 1)) * kill ? true : undefined));
    await stack.killHost();
  }
  await Promise.all(sending);
  const acted = (): number => new Set(sink.effects("/orders").map(({ request }) => request.body)).size;
  await until("every webhook to be acted on", async () => {
    if (acted() === count) return true;
    await stack.sweep();
    return undefined;
  });
  const { platform } = stack.stack;
  const tables = {
    failures: await platform.table(failuresTable),
    index: await platform.table(failureIndexTable),
  };
  const open = { tenantId: "demo", states: ["Parked", "Quarantined"] as const, accepts: () => true };
  expect((await listFailures(tables, open, 100)).items).toEqual([]);
  expect(sink.effects("/orders")).toHaveLength(count);
  const requests = sink.requests.filter(({ path }) => path === "/orders").length;
  console.log(`answered ${answered}, lost 0, sent again ${resent}, requests to the vendor ${requests}`);
}, 60_000);

/** A sender sends again what was not answered with 202, as vendors do. */
async function isAccepted(hook: GithubHook, n: number): Promise<boolean> {
  try {
    return (await hook.deliver({ id: `delivery-${n}`, payload: pullRequest(n) })).status === 202;
  } catch {
    // Nobody listens for the moment; a vendor would wait minutes.
    await delay(20);
    return false;
  }
}
