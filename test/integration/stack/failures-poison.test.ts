import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import {
  dispatcherSubscription,
  eventsTopic,
  routerSubscription,
  workQueue,
} from "../../../shared/entities.ts";
import { stableId } from "../../../shared/envelope/ids.ts";
import { strayTenant } from "../../../shared/failures/record-dead-letter.ts";
import { escalationsTable, listEscalations } from "../../../shared/ledgers/escalations.ts";
import { listFailures } from "../../../shared/ledgers/failure-index.ts";
import {
  type Failure,
  failureIndexTable,
  failuresTable,
  type FailureTables,
  findFailure,
} from "../../../shared/ledgers/failures.ts";
import { pullRequest, pullRequestRoute, type Scenario, startScenario } from "../../support/scenario.ts";
import { until } from "../../support/until.ts";
import { envelope, workItem } from "../ledgers/fixtures.ts";

let scenario: Scenario;
let bus: ServiceBusClient;
let tables: FailureTables;
let configHash: string;
beforeAll(async () => {
  scenario = await startScenario();
  configHash = await scenario.configure([pullRequestRoute]);
  bus = new ServiceBusClient(scenario.stack.settings["ServiceBusConnection"] ?? "");
  const { platform } = scenario.stack;
  tables = {
    failures: await platform.table(failuresTable),
    index: await platform.table(failureIndexTable),
  };
});
afterAll(async () => {
  await bus?.close();
  await scenario?.stop();
});

async function put(entity: string, body: unknown, messageId: string, subject?: string): Promise<void> {
  const sender = bus.createSender(entity);
  await sender.sendMessages({ body, messageId, ...(subject === undefined ? {} : { subject }) });
  await sender.close();
}

function deadLetter(tenantId: string, wanted: (failure: Failure) => boolean): Promise<Failure> {
  return until("the dead letter", async () => {
    const query = { tenantId, states: ["Parked"] as const, accepts: () => true };
    return (await listFailures(tables, query, 100)).items.find(wanted);
  });
}

async function isEmpty(entity: "work" | "router" | "dispatcher"): Promise<boolean> {
  const options = { subQueueType: "deadLetter" } as const;
  const receiver =
    entity === "work"
      ? bus.createReceiver(workQueue, options)
      : bus.createReceiver(eventsTopic, entity, options);
  const messages = await receiver.peekMessages(10);
  await receiver.close();
  return messages.length === 0;
}

describe("ERR-05: a message nobody can use", () => {
  test("on the queue of work is recorded with all it held, and why the bus gave up on it", async () => {
    await put(workQueue, { nonsense: true, marker: 1 }, "poison-work");
    const failure = await deadLetter(strayTenant, ({ objectId }) => objectId === "poison-work");
    expect(failure).toMatchObject({
      origin: "bus",
      code: "BUS_DEAD_LETTER",
      currentStep: workQueue,
      workItem: JSON.stringify({ nonsense: true, marker: 1 }),
    });
    expect(failure.message).toContain("MaxDeliveryCountExceeded");
    await until("the subqueue to be empty", async () => ((await isEmpty("work")) ? true : undefined));
  });

  test.each([
    [routerSubscription, "some.subject"],
    [dispatcherSubscription, "external.events.github"],
  ] as const)("on the subscription %s is recorded as well", async (subscription, subject) => {
    await put(eventsTopic, "garbage", `poison-${subscription}`, subject);
    const failure = await deadLetter(strayTenant, ({ objectId }) => objectId === `poison-${subscription}`);
    expect(failure).toMatchObject({
      currentStep: subscription,
      code: "BUS_DEAD_LETTER",
      workItem: "garbage",
    });
    await until("the subqueue to be empty", async () => ((await isEmpty(subscription)) ? true : undefined));
  });

  test("is escalated, and nothing of it is seen by a tenant", async () => {
    await put(workQueue, "not work", "poison-escalated");
    const { failureId } = await deadLetter(strayTenant, ({ objectId }) => objectId === "poison-escalated");
    const table = await scenario.stack.platform.table(escalationsTable);
    await until("the escalation", async () => {
      const { items } = await listEscalations(table, strayTenant, 100);
      return items.find((each) => each.failureId === failureId);
    });
    expect((await listEscalations(table, "demo", 100)).items).toEqual([]);
    const { body } = await scenario.api.request("GET", "/api/v1/dead-letters");
    expect(body).toMatchObject({ items: [] });
  });

  test("that names its tenant as no table can is recorded all the same", async () => {
    const item = workItem({ tenantId: "a/b?#", envelope: envelope({ tenantid: "a/b?#" }) });
    await put(workQueue, item, "poison-keys");
    const failure = await deadLetter(strayTenant, ({ objectId }) => objectId === "poison-keys");
    expect(JSON.parse(failure.workItem)).toMatchObject({ tenantId: "a/b?#" });
  });

  test("does not take along the events that arrive with it", async () => {
    const hook = await scenario.connect();
    scenario.sink.clear();
    const sender = bus.createSender(eventsTopic);
    const garbage = Array.from({ length: 3 }, (_, n) => ({
      body: "garbage",
      messageId: `among-${n}`,
      subject: "some.subject",
    }));
    const [responses] = await Promise.all([
      Promise.all(Array.from({ length: 30 }, (_, n) => hook.deliver({ payload: pullRequest(500 + n) }))),
      sender.sendMessages(garbage),
    ]);
    await sender.close();
    expect(responses.every(({ status }) => status === 202)).toBe(true);
    await scenario.sink.waitForEffects(30, "/orders");
    for (const { messageId } of garbage)
      await deadLetter(strayTenant, ({ objectId }) => objectId === messageId);
    await scenario.stack.host.idle();
    expect(scenario.sink.effects("/orders")).toHaveLength(30);
    const query = { tenantId: "demo", states: ["Parked"] as const, accepts: () => true };
    expect((await listFailures(tables, query, 100)).items.filter(({ origin }) => origin === "bus")).toEqual(
      [],
    );
  });
});

describe("RTE-02: work whose route is not known", () => {
  const failed = (workId: string): Promise<Failure> =>
    until("the failure", () => findFailure(tables.failures, "demo", workId));

  test.each([
    ["a route that the configuration does not have", () => ({ routeName: "nowhere", configHash })],
    ["a configuration that there never was", () => ({ routeName: "pr-to-sink", configHash: "f".repeat(64) })],
  ])("%s is a dead letter that says so", async (_, change) => {
    const item = workItem({ envelope: envelope({ tenantid: "demo" }), ...change() });
    await put(workQueue, item, `${item.workId}:1`);
    expect(await failed(item.workId)).toMatchObject({
      state: "Parked",
      code: "CONFIG_MISSING",
      attempts: 1,
      currentStep: "route",
    });
  });

  test("work of one tenant with an event of another is nobody's, and is not done", async () => {
    const event = envelope({ tenantid: "demo" });
    const item = { ...workItem({ envelope: event, routeName: "pr-to-sink", configHash }), tenantId: "other" };
    const before = scenario.sink.requests.length;
    await put(workQueue, item, "across");
    const failure = await deadLetter(strayTenant, ({ objectId }) => objectId === "across");
    expect(failure.failureId).toBe(stableId("bus", workQueue, "across", failure.workItem));
    expect(scenario.sink.requests).toHaveLength(before);
  });
});
