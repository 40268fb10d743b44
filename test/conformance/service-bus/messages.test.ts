import { afterAll, beforeAll, expect, test } from "vitest";

import { failureOf, receiveOne, startBus, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  const names = [
    "batch",
    "single-batch",
    "full-batch",
    "properties",
    "bodies",
    "large",
    "no-id",
    "order",
    "types",
  ];
  bus = await startBus({ queues: Object.fromEntries(names.map((name) => [name, {}])) });
});

afterAll(() => bus.stop());

test("message: batch: all of a batch arrive, in order, each with its own properties", async () => {
  const sender = bus.client.createSender("batch");
  const batch = await sender.createMessageBatch();
  for (const n of [1, 2, 3])
    expect(batch.tryAddMessage({ body: n, messageId: `b${n}`, subject: `s${n}` })).toBe(true);
  await sender.sendMessages(batch);
  const messages = await bus.client.createReceiver("batch").receiveMessages(3, { maxWaitTimeInMs: 5000 });
  expect(
    messages.map(({ body, messageId, subject }) => ({ body: body as number, messageId, subject })),
  ).toEqual([1, 2, 3].map((n) => ({ body: n, messageId: `b${n}`, subject: `s${n}` })));
  expect(messages.map(({ sequenceNumber }) => sequenceNumber?.toNumber())).toEqual([1, 2, 3]);
});

test("message: batch of one: is legal", async () => {
  await bus.client.createSender("single-batch").sendMessages([{ body: "only" }]);
  expect((await receiveOne(bus.client.createReceiver("single-batch"))).body).toBe("only");
});

test("message: batch size: a batch holds what the link allows, and not more", async () => {
  const sender = bus.client.createSender("full-batch");
  const batch = await sender.createMessageBatch();
  expect(batch.maxSizeInBytes).toBe(262_144);
  while (batch.tryAddMessage({ body: "x".repeat(10_000) }));
  expect(batch.count).toBe(26);
  await sender.sendMessages(batch);
  expect(await bus.client.createReceiver("full-batch").peekMessages(100)).toHaveLength(26);
});

test("message: order: messages are received in the order they were sent", async () => {
  const sender = bus.client.createSender("order");
  await Promise.all(Array.from({ length: 100 }, (_, n) => sender.sendMessages({ body: n })));
  const messages = await bus.client.createReceiver("order").receiveMessages(100, { maxWaitTimeInMs: 5000 });
  expect(messages.map(({ body }) => body as number)).toEqual(Array.from({ length: 100 }, (_, n) => n));
});

test("message: properties: every property of a message comes back as it was sent", async () => {
  const sent = {
    body: { nested: { list: [1, "two", null] } },
    messageId: "id-1",
    contentType: "application/json",
    correlationId: "corr",
    partitionKey: "session",
    sessionId: "session",
    replyToSessionId: "reply-session",
    timeToLive: 60_000,
    subject: "subject",
    to: "to",
    replyTo: "reply-to",
    applicationProperties: {
      text: "t",
      number: 1.5,
      integer: 7,
      yes: true,
      no: false,
    },
  };
  await bus.client.createSender("properties").sendMessages(sent);
  const message = await receiveOne(bus.client.createReceiver("properties"));
  expect(message).toMatchObject(sent);
  expect(message.enqueuedTimeUtc?.getTime()).toBe(bus.clock.now());
  expect(message.expiresAtUtc?.getTime()).toBe(bus.clock.now() + 60_000);
  expect(message.enqueuedSequenceNumber).toBe(message.sequenceNumber?.toNumber());
});

test.each([
  ["data", Buffer.from([1, 2, 3])],
  ["value", { a: 1, b: ["x"] }],
  ["sequence", [[1, 2, "three"]]],
] as const)("message: body types: a %s body keeps its kind", async (bodyType, body) => {
  await bus.client.createSender("bodies").sendMessages({ bodyType, body });
  const receiver = bus.client.createReceiver("bodies", { receiveMode: "receiveAndDelete" });
  const message = await receiveOne(receiver);
  expect(message._rawAmqpMessage.bodyType).toBe(bodyType);
  expect(message.body).toEqual(body);
});

test("message: id: the broker gives one to a message that has none", async () => {
  await bus.client.createSender("no-id").sendMessages({ body: "x" });
  const receiver = bus.client.createReceiver("no-id");
  const message = await receiveOne(receiver);
  expect(message.messageId).toMatch(/^[0-9a-f]{32}$/);
  await receiver.completeMessage(message);
});

test("message: size: 200 KB go through in several frames, 300 KB are refused", async () => {
  const sender = bus.client.createSender("large");
  const body = Buffer.alloc(200_000, 7);
  await sender.sendMessages({ body });
  const receiver = bus.client.createReceiver("large");
  const message = await receiveOne(receiver);
  expect(body.equals(message.body as Buffer)).toBe(true);
  await receiver.completeMessage(message);
  expect(await failureOf(sender.sendMessages({ body: Buffer.alloc(300_000) }))).toMatchObject({
    code: "MessageSizeExceeded",
  });
  await sender.sendMessages({ body: "the link still works" });
  expect((await receiveOne(receiver)).body).toBe("the link still works");
});
