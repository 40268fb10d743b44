import { afterAll, beforeAll, expect, test } from "vitest";

import { contents, failureOf, receiveOne, startBus, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  const chain = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`hop${n}`, n < 5 ? { ForwardTo: `hop${n + 1}` } : {}]),
  );
  bus = await startBus({
    queues: {
      ...chain,
      source: { ForwardTo: "target" },
      target: {},
      "to-topic": { ForwardTo: "topic" },
      collector: {},
      failing: { MaxDeliveryCount: 1, ForwardDeadLetteredMessagesTo: "collector" },
    },
    topics: { topic: { subscriptions: { one: {}, onward: { ForwardTo: "target" } } } },
  });
});

afterAll(() => bus.stop());

test("forwarding: to a queue: the message arrives there with a number of its own and the first one kept", async () => {
  const sender = bus.client.createSender("source");
  await sender.sendMessages([{ body: 1 }, { body: 2 }]);
  const messages = await bus.client
    .createReceiver("target", { receiveMode: "receiveAndDelete" })
    .receiveMessages(2, { maxWaitTimeInMs: 5000 });
  expect(messages.map(({ body }) => body as number)).toEqual([1, 2]);
  expect(messages.map(({ enqueuedSequenceNumber }) => enqueuedSequenceNumber)).toEqual([1, 2]);
  expect(await contents(bus, "source")).toEqual([]);
});

test("forwarding: to a topic and from a subscription: chains work", async () => {
  await bus.client.createSender("to-topic").sendMessages({ body: "x" });
  expect((await receiveOne(bus.client.createReceiver("topic", "one"))).body).toBe("x");
  expect((await receiveOne(bus.client.createReceiver("target"))).body).toBe("x");
});

test("forwarding: of dead letters: they arrive with their reason and their source", async () => {
  const receiver = bus.client.createReceiver("failing");
  await bus.client.createSender("failing").sendMessages({ body: "x" });
  await receiver.abandonMessage(await receiveOne(receiver));
  const message = await receiveOne(bus.client.createReceiver("collector"));
  expect(message).toMatchObject({
    deadLetterReason: "MaxDeliveryCountExceeded",
    deadLetterSource: "failing",
  });
  expect(await contents(bus, "failing", "deadLetter")).toEqual([]);
});

test("forwarding: more than four hops: the message stops in the transfer dead-letter queue", async () => {
  await bus.client.createSender("hop0").sendMessages({ body: "far" });
  await bus.client.createSender("hop1").sendMessages({ body: "near" });
  expect((await contents(bus, "hop5")).map(({ body }) => body as string)).toEqual(["near"]);
  const receiver = bus.client.createReceiver("hop4", { subQueueType: "transferDeadLetter" });
  expect(await receiveOne(receiver)).toMatchObject({
    body: "far",
    deadLetterReason: "MaxTransferHopCountExceeded",
  });
});

test("forwarding: receiving from an entity that forwards: is refused", async () => {
  const error = await failureOf(
    bus.client.createReceiver("source").receiveMessages(1, { maxWaitTimeInMs: 1000 }),
  );
  expect(error.message).toMatch(/auto-forwarding/);
});
