import { afterAll, beforeAll, expect, test } from "vitest";

import { contents, failureOf, receiveOne, startBus, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  bus = await startBus({
    queues: {
      complete: {},
      abandon: { MaxDeliveryCount: 3 },
      "abandon-properties": {},
      "dead-letter": {},
      "dead-letter-again": {},
      "dead-letter-path": {},
      "receive-and-delete": {},
      "many-locked": {},
      "many-deleted": {},
      "after-close": {},
    },
  });
});

afterAll(() => bus.stop());

test("queue: peek-lock and complete: a completed message is gone, one that is locked is not given to others", async () => {
  const sender = bus.client.createSender("complete");
  const receiver = bus.client.createReceiver("complete");
  await sender.sendMessages({ body: { n: 1 }, messageId: "m1" });
  const message = await receiveOne(receiver);
  expect(message).toMatchObject({ body: { n: 1 }, messageId: "m1", deliveryCount: 0, state: "active" });
  expect(message.lockedUntilUtc?.getTime()).toBe(bus.clock.now() + 60_000);
  expect(await bus.connect().createReceiver("complete").receiveMessages(1, { maxWaitTimeInMs: 100 })).toEqual(
    [],
  );
  await receiver.completeMessage(message);
  expect(await contents(bus, "complete")).toEqual([]);
});

test("queue: abandon: counts deliveries, and after the last dead-letters the message", async () => {
  const sender = bus.client.createSender("abandon");
  const receiver = bus.client.createReceiver("abandon");
  await sender.sendMessages({ body: "x", messageId: "a1" });
  for (const deliveryCount of [0, 1, 2]) {
    const message = await receiveOne(receiver);
    expect(message.deliveryCount).toBe(deliveryCount);
    await receiver.abandonMessage(message);
  }
  expect(await contents(bus, "abandon")).toEqual([]);
  const dead = await receiveOne(bus.client.createReceiver("abandon", { subQueueType: "deadLetter" }));
  expect(dead).toMatchObject({
    messageId: "a1",
    deliveryCount: 3,
    deadLetterReason: "MaxDeliveryCountExceeded",
    deadLetterErrorDescription: "Message could not be consumed after 3 delivery attempts.",
  });
});

test("queue: abandon with properties: they are merged into the application properties", async () => {
  const receiver = bus.client.createReceiver("abandon-properties");
  const sender = bus.client.createSender("abandon-properties");
  await sender.sendMessages({ body: "x", applicationProperties: { kept: "k", changed: 1 } });
  await receiver.abandonMessage(await receiveOne(receiver), { changed: 2, added: true });
  const again = await receiveOne(receiver);
  expect(again.applicationProperties).toEqual({ kept: "k", changed: 2, added: true });
  await receiver.completeMessage(again);
});

test("queue: dead-letter: carries reason, description and further properties", async () => {
  const receiver = bus.client.createReceiver("dead-letter");
  await bus.client.createSender("dead-letter").sendMessages({ body: "x", messageId: "d1" });
  await receiver.deadLetterMessage(await receiveOne(receiver), {
    deadLetterReason: "broken",
    deadLetterErrorDescription: "cannot be read",
    attempt: 7,
  });
  const deadLetters = bus.client.createReceiver("dead-letter", { subQueueType: "deadLetter" });
  const dead = await receiveOne(deadLetters);
  expect(dead).toMatchObject({
    messageId: "d1",
    deadLetterReason: "broken",
    deadLetterErrorDescription: "cannot be read",
  });
  expect(dead.applicationProperties).toMatchObject({ attempt: 7 });
  await deadLetters.abandonMessage(dead);
  const again = await receiveOne(deadLetters);
  expect(again.deliveryCount).toBe(1);
  await deadLetters.completeMessage(again);
  expect(await contents(bus, "dead-letter", "deadLetter")).toEqual([]);
});

test("queue: dead-letter subqueue by path: any case of the path reaches it", async () => {
  const receiver = bus.client.createReceiver("dead-letter-path");
  await bus.client.createSender("dead-letter-path").sendMessages({ body: "x" });
  await receiver.deadLetterMessage(await receiveOne(receiver));
  expect((await receiveOne(bus.client.createReceiver("dead-letter-path/$deadletterqueue"))).body).toBe("x");
});

test("queue: dead-letter from the dead-letter queue: is refused", async () => {
  const receiver = bus.client.createReceiver("dead-letter-again");
  await bus.client.createSender("dead-letter-again").sendMessages({ body: "x" });
  await receiver.deadLetterMessage(await receiveOne(receiver));
  const deadLetters = bus.client.createReceiver("dead-letter-again", { subQueueType: "deadLetter" });
  const error = await failureOf(deadLetters.deadLetterMessage(await receiveOne(deadLetters)));
  expect(error.message).toMatch(/InvalidOperationError/);
});

test("queue: receive and delete: the message is gone with its delivery", async () => {
  const sender = bus.client.createSender("receive-and-delete");
  const receiver = bus.client.createReceiver("receive-and-delete", { receiveMode: "receiveAndDelete" });
  await sender.sendMessages([{ body: 1 }, { body: 2 }]);
  const messages = await receiver.receiveMessages(2, { maxWaitTimeInMs: 5000 });
  expect(messages.map(({ body }) => body as number)).toEqual([1, 2]);
  expect(await contents(bus, "receive-and-delete")).toEqual([]);
});

test.each(["peekLock", "receiveAndDelete"] as const)(
  "queue: more messages on one link than any buffer holds: %s",
  async (receiveMode) => {
    const queue = receiveMode === "peekLock" ? "many-locked" : "many-deleted";
    const sender = bus.client.createSender(queue);
    const total = 5000;
    for (let sent = 0; sent < total; sent += 500) {
      await sender.sendMessages(Array.from({ length: 500 }, (_, index) => ({ body: sent + index })));
    }
    const receiver = bus.client.createReceiver(queue, { receiveMode, maxAutoLockRenewalDurationInMs: 0 });
    const seen: number[] = [];
    while (seen.length < total) {
      const messages = await receiver.receiveMessages(500, { maxWaitTimeInMs: 5000 });
      if (receiveMode === "peekLock")
        await Promise.all(messages.map((message) => receiver.completeMessage(message)));
      seen.push(...messages.map(({ body }) => body as number));
    }
    expect(seen).toEqual(Array.from({ length: total }, (_, index) => index));
  },
);

test("queue: locks outlive links: a message stays locked when its receiver closes, until the lock runs out", async () => {
  const first = bus.client.createReceiver("after-close");
  await bus.client.createSender("after-close").sendMessages({ body: "x" });
  await receiveOne(first);
  await first.close();
  const second = bus.client.createReceiver("after-close");
  expect(await second.receiveMessages(1, { maxWaitTimeInMs: 100 })).toEqual([]);
  bus.clock.advance(60_000);
  expect((await receiveOne(second)).deliveryCount).toBe(1);
});
