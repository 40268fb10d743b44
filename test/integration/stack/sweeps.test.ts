import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { LogLine } from "../../../local/host/log.ts";
import { stableId } from "../../../shared/envelope/ids.ts";
import { createInboxWriter, type InboxWriter } from "../../../shared/ingest/inbox-writer.ts";
import { inboxWritersTable } from "../../../shared/ledgers/inbox-writers.ts";
import { findWebhook, inboxTable, type StoredWebhook } from "../../../shared/ledgers/inbox.ts";
import { unpublishedTable } from "../../../shared/ledgers/unpublished.ts";
import { collect } from "../../support/collect.ts";
import { pullRequest, pullRequestRoute, type Scenario, startScenario } from "../../support/scenario.ts";
import { until } from "../../support/until.ts";
import { envelope } from "../ledgers/fixtures.ts";

const lines: LogLine[] = [];
let scenario: Scenario;
beforeAll(async () => {
  scenario = await startScenario({ log: (line) => void lines.push(line) });
  await scenario.configure([pullRequestRoute]);
});
afterAll(() => scenario?.stop());

/** Another process on the same storage, whose way to the bus is broken. */
async function cutOff(publish: () => Promise<void>, leaseMs: number): Promise<InboxWriter> {
  const { platform } = scenario.stack;
  return createInboxWriter({
    inbox: await platform.table(inboxTable),
    writers: await platform.table(inboxWritersTable),
    unpublished: await platform.table(unpublishedTable),
    publish,
    leaseMs,
    patienceMs: 100,
  });
}

function stored(number: number): StoredWebhook {
  const id = stableId("sweeps", String(number));
  const body = Buffer.from(JSON.stringify(pullRequest(number)));
  return {
    envelope: envelope({ id, payloadhash: id, tenantid: "demo" }),
    contentType: "application/json",
    headers: {},
    size: body.byteLength,
    body,
  };
}

const titles = (): string[] =>
  scenario.sink
    .effects("/orders")
    .map(({ request }) => (JSON.parse(request.body) as { title: string }).title);

describe("ING-01: the sweeper of a running platform", () => {
  test("publishes what the bus did not take of another process, and it is acted on once", async () => {
    const writer = await cutOff(() => Promise.reject(new Error("no way to the bus")), 30_000);
    const webhook = stored(1);
    await writer.accept(webhook, webhook.envelope, () => {});
    await scenario.stack.host.fire("sweep-inbox");
    await scenario.stack.host.fire("sweep-inbox");
    await until("the effect", () => (titles().includes("Change 1") ? true : undefined));
    await scenario.stack.host.idle();
    expect(titles().filter((title) => title === "Change 1")).toHaveLength(1);
  });

  test("publishes what a process that died had not, once the others take it for dead", async () => {
    const { platform, host } = scenario.stack;
    const writers = await platform.table(inboxWritersTable);
    // It says only once that it is alive: the time between beats is longer than a timer can be.
    const writer = await cutOff(() => new Promise(() => {}), 2 ** 32);
    const webhook = stored(2);
    await writer.accept(webhook, webhook.envelope, () => {});
    for (const row of await collect(writers.listEntities<{ aliveUntil: Date }>())) {
      const { partitionKey = "", rowKey = "" } = row;
      await writers.updateEntity({ partitionKey, rowKey, aliveUntil: new Date(0) }, "Merge", { etag: "*" });
    }
    await host.fire("sweep-inbox");
    await until("the effect", () => (titles().includes("Change 2") ? true : undefined));
    expect(titles().filter((title) => title === "Change 2")).toHaveLength(1);
  });
});

test("ING-07: a body that grows when it is written as JSON again still reaches its route", async () => {
  const hook = await scenario.connect();
  const numbers = `[${Array.from({ length: 11_000 }, () => "1e20").join(",")}]`;
  const body = Buffer.from(JSON.stringify(pullRequest(3)).replace(/}$/, `,"numbers":${numbers}}`));
  expect(body.byteLength).toBeLessThan(60 * 1024);
  const response = await hook.deliver({ body });
  expect(response.status).toBe(202);
  await until("the effect", () => (titles().includes("Change 3") ? true : undefined));
  const { correlationId } = (await response.json()) as { correlationId: string };
  const inbox = await scenario.stack.platform.table(inboxTable);
  expect((await findWebhook(inbox, "demo", correlationId))?.bodyRef).toBeDefined();
});

test("ING-01: while the bus is gone webhooks are stored and answered, and the sweeper knows", async () => {
  const hook = await scenario.connect();
  await scenario.stack.stopBus();
  const response = await hook.deliver({ payload: pullRequest(4) });
  expect(response.status).toBe(202);
  const { correlationId } = (await response.json()) as { correlationId: string };
  const { platform } = scenario.stack;
  expect(await findWebhook(await platform.table(inboxTable), "demo", correlationId)).toBeDefined();
  const unpublished = await platform.table(unpublishedTable);
  await until("the sweeper to know", async () =>
    (await collect(unpublished.listEntities<{ eventId: string }>())).find(
      ({ eventId }) => eventId === correlationId,
    ),
  );
  expect(lines.some(({ message }) => message.includes("event.unpublished"))).toBe(true);
});
