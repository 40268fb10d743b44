import { afterAll, beforeAll, expect, test } from "vitest";

import { contents, failureOf, receiveOne, startBus, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  bus = await startBus({
    queues: {
      schedule: {},
      "schedule-many": {},
      "schedule-property": {},
      cancel: {},
      "ttl-dead": { DeadLetteringOnMessageExpiration: true },
      "ttl-dropped": {},
      "ttl-default": { DefaultMessageTimeToLive: "PT30S", DeadLetteringOnMessageExpiration: true },
      "ttl-locked": { LockDuration: "PT1M" },
      "ttl-scheduled": {},
      duplicates: { RequiresDuplicateDetection: true, DuplicateDetectionHistoryTimeWindow: "PT20S" },
    },
    topics: {
      "duplicate-topic": {
        properties: { RequiresDuplicateDetection: true, DuplicateDetectionHistoryTimeWindow: "PT20S" },
        subscriptions: { all: {} },
      },
    },
  });
});

afterAll(() => bus.stop());

const inSeconds = (seconds: number) => new Date(bus.clock.now() + seconds * 1000);

test("queue: schedule: the message comes when it is due, under a new sequence number", async () => {
  const sender = bus.client.createSender("schedule");
  const receiver = bus.client.createReceiver("schedule");
  const [sequence] = await sender.scheduleMessages({ body: "later" }, inSeconds(60));
  bus.clock.advance(59_999);
  expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 100 })).toEqual([]);
  bus.clock.advance(1);
  const message = await receiveOne(receiver);
  expect(message).toMatchObject({ body: "later", state: "active" });
  expect(message.sequenceNumber?.greaterThan(sequence!)).toBe(true);
  expect(message.enqueuedTimeUtc?.getTime()).toBe(bus.clock.now());
});

test("queue: schedule: many messages come in the order of their times", async () => {
  const sender = bus.client.createSender("schedule-many");
  for (const seconds of [30, 10, 20]) await sender.scheduleMessages({ body: seconds }, inSeconds(seconds));
  bus.clock.advance(60_000);
  const messages = await bus.client
    .createReceiver("schedule-many")
    .receiveMessages(3, { maxWaitTimeInMs: 5000 });
  expect(messages.map(({ body }) => body as number)).toEqual([10, 20, 30]);
});

test("queue: schedule by property: scheduledEnqueueTimeUtc of a sent message is honoured", async () => {
  const scheduledEnqueueTimeUtc = inSeconds(60);
  await bus.client.createSender("schedule-property").sendMessages({ body: "x", scheduledEnqueueTimeUtc });
  const receiver = bus.client.createReceiver("schedule-property");
  expect(await receiver.peekMessages(1)).toMatchObject([{ state: "scheduled", scheduledEnqueueTimeUtc }]);
  bus.clock.advance(60_000);
  expect((await receiveOne(receiver)).body).toBe("x");
});

test("queue: cancel: a scheduled message that is cancelled never comes, a second time it is not found", async () => {
  const sender = bus.client.createSender("cancel");
  const sequences = await sender.scheduleMessages([{ body: 1 }, { body: 2 }], inSeconds(60));
  await sender.cancelScheduledMessages(sequences[0]!);
  expect(await failureOf(sender.cancelScheduledMessages(sequences[0]!))).toMatchObject({
    code: "MessageNotFound",
  });
  bus.clock.advance(60_000);
  const receiver = bus.client.createReceiver("cancel");
  expect((await receiveOne(receiver)).body).toBe(2);
  expect(await failureOf(sender.cancelScheduledMessages(sequences[1]!))).toMatchObject({
    code: "MessageNotFound",
  });
});

test("queue: time to live: an expired message goes to the dead-letter queue where that is configured", async () => {
  await bus.client.createSender("ttl-dead").sendMessages({ body: "x", timeToLive: 10_000 });
  bus.clock.advance(10_000);
  const dead = await receiveOne(bus.client.createReceiver("ttl-dead", { subQueueType: "deadLetter" }));
  expect(dead).toMatchObject({
    deadLetterReason: "TTLExpiredException",
    deadLetterErrorDescription: "The message expired and was dead lettered.",
  });
});

test("queue: time to live: elsewhere an expired message is dropped", async () => {
  await bus.client
    .createSender("ttl-dropped")
    .sendMessages([{ body: "short", timeToLive: 10_000 }, { body: "long" }]);
  bus.clock.advance(10_000);
  const receiver = bus.client.createReceiver("ttl-dropped");
  expect((await receiveOne(receiver)).body).toBe("long");
  expect(await contents(bus, "ttl-dropped", "deadLetter")).toEqual([]);
});

test("queue: time to live: the entity's default bounds that of the message", async () => {
  await bus.client
    .createSender("ttl-default")
    .sendMessages([{ body: 1 }, { body: 2, timeToLive: 3_600_000 }]);
  expect((await contents(bus, "ttl-default"))[0]?.timeToLive).toBe(30_000);
  bus.clock.advance(29_999);
  expect(await contents(bus, "ttl-default")).toHaveLength(2);
  bus.clock.advance(1);
  const deadLetters = bus.client.createReceiver("ttl-default", { subQueueType: "deadLetter" });
  expect(await deadLetters.receiveMessages(2, { maxWaitTimeInMs: 5000 })).toHaveLength(2);
});

test("queue: time to live: a locked message does not expire, but does when it is abandoned", async () => {
  const receiver = bus.client.createReceiver("ttl-locked");
  await bus.client.createSender("ttl-locked").sendMessages([
    { body: 1, timeToLive: 10_000 },
    { body: 2, timeToLive: 10_000 },
  ]);
  const [first, second] = await receiver.receiveMessages(2, { maxWaitTimeInMs: 5000 });
  bus.clock.advance(20_000);
  await receiver.completeMessage(first!);
  expect(await contents(bus, "ttl-locked")).toHaveLength(1);
  await receiver.abandonMessage(second!);
  expect(await contents(bus, "ttl-locked")).toEqual([]);
});

test("queue: time to live: of a scheduled message begins when it is due", async () => {
  const sender = bus.client.createSender("ttl-scheduled");
  await sender.scheduleMessages({ body: "x", timeToLive: 10_000 }, inSeconds(60));
  bus.clock.advance(69_999);
  expect(await contents(bus, "ttl-scheduled")).toHaveLength(1);
  bus.clock.advance(1);
  expect(await contents(bus, "ttl-scheduled")).toEqual([]);
});

test("queue: duplicate detection: a repeated id is accepted and dropped within the window, also inside a batch", async () => {
  const sender = bus.client.createSender("duplicates");
  await sender.sendMessages({ body: 1, messageId: "same" });
  await sender.sendMessages([
    { body: 2, messageId: "same" },
    { body: 3, messageId: "other" },
    { body: 4, messageId: "other" },
  ]);
  const receiver = bus.client.createReceiver("duplicates", { receiveMode: "receiveAndDelete" });
  const messages = await receiver.receiveMessages(2, { maxWaitTimeInMs: 5000 });
  expect(messages.map(({ body }) => body as number)).toEqual([1, 3]);
  bus.clock.advance(19_999);
  await sender.sendMessages({ body: 5, messageId: "same" });
  expect(await contents(bus, "duplicates")).toEqual([]);
  bus.clock.advance(1);
  await sender.sendMessages({ body: 6, messageId: "same" });
  expect((await receiveOne(receiver)).body).toBe(6);
});

test("topic: duplicate detection: a repeated id reaches no subscription", async () => {
  const sender = bus.client.createSender("duplicate-topic");
  for (const body of [1, 2]) await sender.sendMessages({ body, messageId: "same" });
  const receiver = bus.client.createReceiver("duplicate-topic", "all");
  expect((await receiver.peekMessages(10)).map(({ body }) => body as number)).toEqual([1]);
});
