import { afterAll, beforeAll, expect, test } from "vitest";

import {
  contents,
  failureOf,
  receiveOne,
  signal,
  startBus,
  until,
  type BusUnderTest,
} from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  const names = ["expiry", "late", "renew", "exhausted"];
  const properties = { LockDuration: "PT10S", MaxDeliveryCount: 2 };
  bus = await startBus({ queues: Object.fromEntries(names.map((name) => [name, properties])) });
});

afterAll(() => bus.stop());

test("queue: lock expiry: the message is delivered again, in its old place, and the attempt counts", async () => {
  const receiver = bus.client.createReceiver("expiry", { maxAutoLockRenewalDurationInMs: 0 });
  await bus.client.createSender("expiry").sendMessages([{ body: 1 }, { body: 2 }]);
  await receiveOne(receiver);
  bus.clock.advance(9_999);
  expect((await receiveOne(receiver)).body).toBe(2);
  bus.clock.advance(1);
  expect(await receiveOne(receiver)).toMatchObject({ body: 1, deliveryCount: 1 });
});

test("queue: lock expiry: completing too late fails with MessageLockLost", async () => {
  const receiver = bus.client.createReceiver("late", { maxAutoLockRenewalDurationInMs: 0 });
  await bus.client.createSender("late").sendMessages({ body: 1 });
  const message = await receiveOne(receiver);
  bus.clock.advance(10_000);
  expect(await failureOf(receiver.completeMessage(message))).toMatchObject({ code: "MessageLockLost" });
});

test("queue: lock expiry: the last attempt that runs out dead-letters the message", async () => {
  const receiver = bus.client.createReceiver("exhausted", { maxAutoLockRenewalDurationInMs: 0 });
  await bus.client.createSender("exhausted").sendMessages({ body: 1 });
  for (const deliveryCount of [0, 1]) {
    expect((await receiveOne(receiver)).deliveryCount).toBe(deliveryCount);
    bus.clock.advance(10_000);
  }
  const dead = await receiveOne(bus.client.createReceiver("exhausted", { subQueueType: "deadLetter" }));
  expect(dead.deadLetterReason).toBe("MaxDeliveryCountExceeded");
});

test("queue: lock renewal: holds the message longer, until it too runs out", async () => {
  const receiver = bus.client.createReceiver("renew", { maxAutoLockRenewalDurationInMs: 0 });
  await bus.client.createSender("renew").sendMessages({ body: 1 });
  const message = await receiveOne(receiver);
  bus.clock.advance(8_000);
  const renewed = await receiver.renewMessageLock(message);
  expect(renewed.getTime()).toBe(bus.clock.now() + 10_000);
  bus.clock.advance(8_000);
  await receiver.completeMessage(message);
  expect(await contents(bus, "renew")).toEqual([]);
  expect(await failureOf(receiver.renewMessageLock(message))).toMatchObject({ code: "MessageLockLost" });
});

test("queue: lock renewal: subscribe renews by itself while a handler works", async () => {
  /** The client renews by its own clock, so this server's must not have run ahead of it. */
  const fresh = await startBus({ queues: { "auto-renew": { LockDuration: "PT2S" } } });
  const handling = signal();
  const receiver = fresh.client.createReceiver("auto-renew");
  let lockedUntil = (): number => 0;
  receiver.subscribe({
    async processMessage(message) {
      lockedUntil = () => message.lockedUntilUtc?.getTime() ?? 0;
      await handling.promise;
    },
    processError: () => Promise.resolve(),
  });
  await fresh.client.createSender("auto-renew").sendMessages({ body: 1 });
  await until(() => lockedUntil() > 0);
  const first = lockedUntil();
  fresh.clock.advance(1000);
  await until(() => lockedUntil() > first);
  expect(lockedUntil()).toBe(first + 1000);
  handling.resolve();
  await fresh.stop();
});
