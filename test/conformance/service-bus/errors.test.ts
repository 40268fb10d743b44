import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";

import {
  adminClient,
  failureOf,
  receiveOne,
  retryOptions,
  startBus,
  type BusUnderTest,
} from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  bus = await startBus({
    queues: {
      disabled: { Status: "Disabled" },
      "send-only": { Status: "ReceiveDisabled" },
      small: { MaxSizeInMegabytes: 1 },
      plain: {},
      gone: {},
    },
    topics: { topic: { subscriptions: { one: {} } } },
  });
});

afterAll(() => bus.stop());

const code = (name: string) => ({ code: name });

test.each([
  ["send", () => bus.client.createSender("unknown").sendMessages({ body: 1 })],
  ["receive", () => bus.client.createReceiver("unknown").receiveMessages(1, { maxWaitTimeInMs: 1000 })],
  ["receive from a subscription", () => bus.client.createReceiver("topic", "unknown").receiveMessages(1)],
  ["peek", () => bus.client.createReceiver("unknown").peekMessages(1)],
  ["accept a session", () => bus.client.acceptSession("unknown", "s")],
  ["schedule", () => bus.client.createSender("unknown").scheduleMessages({ body: 1 }, new Date())],
] as const)("error: unknown entity: %s fails with MessagingEntityNotFound", async (_name, operation) => {
  expect(await failureOf(operation())).toMatchObject(code("MessagingEntityNotFound"));
});

test("error: disabled entity: sending and receiving fail with MessagingEntityDisabled", async () => {
  expect(await failureOf(bus.client.createSender("disabled").sendMessages({ body: 1 }))).toMatchObject(
    code("MessagingEntityDisabled"),
  );
  const receiver = bus.client.createReceiver("send-only");
  await bus.client.createSender("send-only").sendMessages({ body: 1 });
  expect(await failureOf(receiver.receiveMessages(1, { maxWaitTimeInMs: 1000 }))).toMatchObject(
    code("MessagingEntityDisabled"),
  );
});

test("error: full entity: sending fails with QuotaExceeded", async () => {
  const sender = bus.client.createSender("small");
  const body = Buffer.alloc(250_000);
  for (let sent = 0; sent < 4; sent++) await sender.sendMessages({ body });
  expect(await failureOf(sender.sendMessages({ body }))).toMatchObject(code("QuotaExceeded"));
});

test("error: wrong direction: sending to a subscription or receiving from a topic is refused", async () => {
  const receiver = bus.client.createReceiver("topic");
  expect((await failureOf(receiver.receiveMessages(1, { maxWaitTimeInMs: 1000 }))).message).toMatch(
    /InvalidOperationError/,
  );
  const sender = bus.client.createSender("plain/$DeadLetterQueue");
  expect((await failureOf(sender.sendMessages({ body: 1 }))).message).toMatch(/InvalidOperationError/);
});

test("error: settling twice: is refused by the client, the message stays completed", async () => {
  const receiver = bus.client.createReceiver("plain");
  await bus.client.createSender("plain").sendMessages({ body: 1 });
  const message = await receiveOne(receiver);
  await receiver.completeMessage(message);
  expect((await failureOf(receiver.abandonMessage(message))).message).toMatch(/already settled|settled/i);
});

test("error: an entity deleted while it is used: senders fail with MessagingEntityNotFound", async () => {
  const sender = bus.client.createSender("gone");
  await sender.sendMessages({ body: 1 });
  const receiver = bus.client.createReceiver("gone");
  const message = await receiveOne(receiver);
  await bus.admin.deleteQueue("gone");
  expect(await failureOf(sender.sendMessages({ body: 1 }))).toMatchObject(code("MessagingEntityNotFound"));
  expect(await failureOf(receiver.renewMessageLock(message))).toMatchObject(code("MessagingEntityNotFound"));
  expect(await failureOf(bus.connect().createSender("gone").sendMessages({ body: 1 }))).toMatchObject(
    code("MessagingEntityNotFound"),
  );
});

test("authorization: a good key is accepted, a bad one fails with UnauthorizedAccess", async () => {
  const guarded = await startBus({ queues: { q: {} } }, { sasKey: "c2VjcmV0" });
  await guarded.client.createSender("q").sendMessages({ body: 1 });
  expect((await receiveOne(guarded.client.createReceiver("q"))).body).toBe(1);
  const wrong = guarded.server.connectionString.replace("c2VjcmV0", "d3Jvbmc=");
  const intruder = new ServiceBusClient(wrong, { retryOptions: { ...retryOptions, maxRetries: 0 } });
  expect(await failureOf(intruder.createSender("q").sendMessages({ body: 1 }))).toMatchObject(
    code("UnauthorizedAccess"),
  );
  await intruder.close();
  expect(await guarded.admin.getQueue("q")).toMatchObject({ name: "q" });
  const wrongAdmin = adminClient({
    ...guarded.server,
    adminConnectionString: guarded.server.adminConnectionString.replace("c2VjcmV0", "d3Jvbmc="),
  });
  expect(await failureOf(wrongAdmin.getQueue("q"))).toMatchObject({ statusCode: 401 });
  await guarded.stop();
});
