import { afterAll, beforeAll, expect, test } from "vitest";

import { failureOf, receiveOne, startBus, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  bus = await startBus({
    queues: { counted: { LockDuration: "PT45S", DefaultMessageTimeToLive: "P1D" }, "a/b.c": {} },
    topics: { topic: { subscriptions: { sub: {} } } },
  });
});

afterAll(() => bus.stop());

async function all<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of pages) found.push(item);
  return found;
}

test("administration: runtime counts: active, scheduled and dead-lettered messages of a queue", async () => {
  const sender = bus.client.createSender("counted");
  const receiver = bus.client.createReceiver("counted");
  await sender.sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
  await sender.scheduleMessages({ body: 4 }, new Date(bus.clock.now() + 60_000));
  await receiver.deadLetterMessage(await receiveOne(receiver));
  await receiveOne(receiver);
  expect(await bus.admin.getQueueRuntimeProperties("counted")).toMatchObject({
    name: "counted",
    totalMessageCount: 4,
    activeMessageCount: 2,
    scheduledMessageCount: 1,
    deadLetterMessageCount: 1,
    transferMessageCount: 0,
  });
});

test("administration: runtime counts: of topics and subscriptions", async () => {
  const sender = bus.client.createSender("topic");
  await sender.sendMessages([{ body: 1 }, { body: 2 }]);
  await sender.scheduleMessages({ body: 3 }, new Date(bus.clock.now() + 60_000));
  expect(await bus.admin.getTopicRuntimeProperties("topic")).toMatchObject({
    subscriptionCount: 1,
    scheduledMessageCount: 1,
  });
  expect(await bus.admin.getSubscriptionRuntimeProperties("topic", "sub")).toMatchObject({
    totalMessageCount: 2,
    activeMessageCount: 2,
    deadLetterMessageCount: 0,
  });
  expect(await all(bus.admin.listSubscriptionsRuntimeProperties("topic"))).toHaveLength(1);
});

test("administration: queues: read, create, update, list, delete", async () => {
  expect(await bus.admin.getQueue("counted")).toMatchObject({
    lockDuration: "PT45S",
    defaultMessageTimeToLive: "P1D",
  });
  expect(await bus.admin.getQueue("a/b.c")).toMatchObject({ name: "a/b.c" });
  const created = await bus.admin.createQueue("made", {
    requiresSession: true,
    maxDeliveryCount: 4,
    forwardDeadLetteredMessagesTo: "counted",
  });
  expect(created).toMatchObject({
    name: "made",
    requiresSession: true,
    maxDeliveryCount: 4,
    forwardDeadLetteredMessagesTo: "counted",
  });
  await bus.client.createSender("made").sendMessages({ body: 1, sessionId: "s" });
  await bus.admin.updateQueue({ ...created, maxDeliveryCount: 7 });
  expect(await bus.admin.getQueue("made")).toMatchObject({ maxDeliveryCount: 7, requiresSession: true });
  expect((await all(bus.admin.listQueues())).map(({ name }) => name)).toEqual(["counted", "a/b.c", "made"]);
  await bus.admin.deleteQueue("made");
  expect(await bus.admin.queueExists("made")).toBe(false);
});

test("administration: topics, subscriptions and rules: create, list, update, delete", async () => {
  await bus.admin.createTopic("news");
  await bus.admin.createSubscription("news", "mine", {
    defaultRuleOptions: { name: "first", filter: { sqlExpression: "a < 5 AND b > 'x'" } },
  });
  await bus.admin.createRule(
    "news",
    "mine",
    "second",
    { subject: "s", applicationProperties: { n: 1, on: true, text: "t" } },
    { sqlExpression: "SET c = 1" },
  );
  expect(await all(bus.admin.listRules("news", "mine"))).toMatchObject([
    { name: "first", filter: { sqlExpression: "a < 5 AND b > 'x'" } },
    {
      name: "second",
      filter: { subject: "s", applicationProperties: { n: 1, on: true, text: "t" } },
      action: { sqlExpression: "SET c = 1" },
    },
  ]);
  const first = await bus.admin.getRule("news", "mine", "first");
  await bus.admin.updateRule("news", "mine", { ...first, filter: { sqlExpression: "1=1" } });
  expect(await bus.admin.getRule("news", "mine", "first")).toMatchObject({
    filter: { sqlExpression: "1=1" },
  });
  await bus.admin.deleteRule("news", "mine", "second");
  expect(
    (await all(bus.admin.listSubscriptions("news"))).map(({ subscriptionName }) => subscriptionName),
  ).toEqual(["mine"]);
  expect((await all(bus.admin.listTopics())).map(({ name }) => name)).toEqual(["topic", "news"]);
  await bus.client.createSender("news").sendMessages({ body: "x" });
  expect((await receiveOne(bus.client.createReceiver("news", "mine"))).body).toBe("x");
  await bus.admin.deleteSubscription("news", "mine");
  await bus.admin.deleteTopic("news");
  expect(await bus.admin.topicExists("news")).toBe(false);
});

test("administration: errors: unknown, existing and unchangeable are told apart", async () => {
  expect(await failureOf(bus.admin.getQueue("unknown"))).toMatchObject({
    code: "MessageEntityNotFoundError",
    statusCode: 404,
  });
  expect(await failureOf(bus.admin.createQueue("counted"))).toMatchObject({
    code: "MessageEntityAlreadyExistsError",
    statusCode: 409,
  });
  const queue = await bus.admin.getQueue("counted");
  expect(await failureOf(bus.admin.updateQueue({ ...queue, requiresSession: true }))).toMatchObject({
    statusCode: 400,
  });
  expect(await failureOf(bus.admin.createQueue("f", { forwardTo: "nowhere" }))).toMatchObject({
    statusCode: 400,
  });
});

test("administration: traffic: a batch is one send, deliveries and settlements are counted one by one", async () => {
  await bus.admin.createQueue("busy");
  const sender = bus.client.createSender("busy");
  const receiver = bus.client.createReceiver("busy");
  await sender.sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
  await sender.sendMessages({ body: 4 });
  await receiver.completeMessage(await receiveOne(receiver));
  await receiver.abandonMessage(await receiveOne(receiver));
  await receiver.renewMessageLock(await receiveOne(receiver));
  const answer = await fetch(`http://127.0.0.1:${bus.server.adminPort}/$traffic`);
  expect(await answer.json()).toMatchObject({
    busy: { sends: 2, messages: 4, deliveries: 3, settlements: 2, requests: 1 },
  });
});

test("administration: namespace and health: answer", async () => {
  expect(await bus.admin.getNamespaceProperties()).toMatchObject({ messagingSku: "Standard" });
  const health = await fetch(`http://127.0.0.1:${bus.server.adminPort}/health`);
  expect(await health.json()).toEqual({ status: "healthy", message: "Service is healthy." });
});
