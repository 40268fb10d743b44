import { afterAll, beforeAll, expect, test } from "vitest";

import { contents, failureOf, receiveOne, startBus, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  const names = [
    "defer",
    "defer-renew",
    "defer-settle",
    "defer-missing",
    "defer-delete",
    "defer-ttl",
    "peek",
    "peek-page",
    "peek-body",
  ];
  const properties = { LockDuration: "PT10S", MaxDeliveryCount: 5 };
  bus = await startBus({ queues: Object.fromEntries(names.map((name) => [name, properties])) });
});

afterAll(() => bus.stop());

async function deferOne(queue: string, body: unknown, timeToLive?: number) {
  await bus.client
    .createSender(queue)
    .sendMessages(timeToLive === undefined ? { body } : { body, timeToLive });
  const receiver = bus.client.createReceiver(queue, { maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  await receiver.deferMessage(message, { why: "later" });
  return { receiver, sequence: message.sequenceNumber! };
}

test("queue: defer: the message is set aside, visible to peek, and received by its number alone", async () => {
  const { receiver, sequence } = await deferOne("defer", "x");
  expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 100 })).toEqual([]);
  expect(await receiver.peekMessages(1)).toMatchObject([{ body: "x", state: "deferred" }]);
  const [deferred] = await receiver.receiveDeferredMessages(sequence);
  expect(deferred).toMatchObject({ body: "x", state: "deferred", applicationProperties: { why: "later" } });
  await receiver.completeMessage(deferred!);
  expect(await contents(bus, "defer")).toEqual([]);
});

test("queue: defer: a deferred message can be renewed, and stays deferred when its lock runs out", async () => {
  const { receiver, sequence } = await deferOne("defer-renew", "x");
  const [deferred] = await receiver.receiveDeferredMessages(sequence);
  bus.clock.advance(9_000);
  await receiver.renewMessageLock(deferred!);
  bus.clock.advance(9_000);
  expect(await failureOf(receiver.receiveDeferredMessages(sequence))).toMatchObject({
    code: "MessageNotFound",
  });
  bus.clock.advance(1_000);
  expect(await failureOf(receiver.completeMessage(deferred!))).toMatchObject({ code: "MessageLockLost" });
  const [again] = await receiver.receiveDeferredMessages(sequence);
  expect(again).toMatchObject({ state: "deferred", deliveryCount: 1 });
});

test("queue: defer: a deferred message can be abandoned and dead-lettered", async () => {
  const { receiver, sequence } = await deferOne("defer-settle", "x");
  const [first] = await receiver.receiveDeferredMessages(sequence);
  await receiver.abandonMessage(first!, { tried: true });
  const [second] = await receiver.receiveDeferredMessages(sequence);
  expect(second).toMatchObject({ deliveryCount: 1, applicationProperties: { tried: true } });
  await receiver.deadLetterMessage(second!, {
    deadLetterReason: "why",
    deadLetterErrorDescription: "because",
  });
  const dead = await receiveOne(bus.client.createReceiver("defer-settle", { subQueueType: "deadLetter" }));
  expect(dead).toMatchObject({ deadLetterReason: "why", deadLetterErrorDescription: "because" });
});

test("queue: defer: an unknown number fails with MessageNotFound, and then none is received", async () => {
  const { receiver, sequence } = await deferOne("defer-missing", "x");
  const error = await failureOf(receiver.receiveDeferredMessages([sequence, sequence.add(99)]));
  expect(error).toMatchObject({ code: "MessageNotFound" });
  expect(await receiver.receiveDeferredMessages([sequence])).toHaveLength(1);
});

test("queue: defer: in receive-and-delete mode a deferred message is gone with its delivery", async () => {
  const { sequence } = await deferOne("defer-delete", "x");
  const receiver = bus.client.createReceiver("defer-delete", { receiveMode: "receiveAndDelete" });
  expect(await receiver.receiveDeferredMessages(sequence)).toMatchObject([{ body: "x" }]);
  expect(await contents(bus, "defer-delete")).toEqual([]);
});

test("queue: defer: a deferred message does not expire", async () => {
  const { receiver, sequence } = await deferOne("defer-ttl", "x", 5_000);
  bus.clock.advance(60_000);
  expect(await receiver.receiveDeferredMessages(sequence)).toHaveLength(1);
});

test("queue: peek: shows active, locked, deferred and scheduled messages and locks none", async () => {
  const sender = bus.client.createSender("peek");
  const { receiver } = await deferOne("peek", "deferred");
  await sender.sendMessages([{ body: "locked" }, { body: "active" }]);
  await sender.scheduleMessages({ body: "scheduled" }, new Date(bus.clock.now() + 60_000));
  const locked = await receiveOne(receiver);
  const states = async () =>
    (await receiver.peekMessages(10, {})).map(({ body, state }) => [body as string, state]);
  const expected = [
    ["deferred", "deferred"],
    ["locked", "active"],
    ["active", "active"],
    ["scheduled", "scheduled"],
  ];
  expect(await states()).toEqual(expected);
  const other = bus.connect().createReceiver("peek");
  expect((await other.peekMessages(10)).map(({ body }) => body as string)).toEqual(
    expected.map(([body]) => body),
  );
  await receiver.completeMessage(locked);
});

test("queue: peek: goes on where the last peek ended, or from a given number", async () => {
  await bus.client
    .createSender("peek-page")
    .sendMessages(Array.from({ length: 10 }, (_, n) => ({ body: n })));
  const receiver = bus.client.createReceiver("peek-page");
  const bodies = async (...range: Parameters<typeof receiver.peekMessages>) =>
    (await receiver.peekMessages(...range)).map(({ body }) => body as number);
  expect(await bodies(4)).toEqual([0, 1, 2, 3]);
  expect(await bodies(4)).toEqual([4, 5, 6, 7]);
  expect(await bodies(4)).toEqual([8, 9]);
  const third = (await contents(bus, "peek-page"))[2];
  expect(await bodies(2, { fromSequenceNumber: third!.sequenceNumber! })).toEqual([2, 3]);
});

test("queue: peek: leaves the body out when asked to", async () => {
  await bus.client.createSender("peek-body").sendMessages({ body: "x".repeat(1000), subject: "kept" });
  const options: object = { omitMessageBody: true };
  const [message] = await bus.client.createReceiver("peek-body").peekMessages(1, options);
  expect(message).toMatchObject({ subject: "kept" });
  expect(message!.body).toBeUndefined();
});
