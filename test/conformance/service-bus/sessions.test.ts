import { afterAll, beforeAll, expect, test } from "vitest";

import {
  contents,
  failureOf,
  receiveOne,
  retryOptions,
  startBus,
  until,
  type BusUnderTest,
} from "./bus-under-test.ts";

let bus: BusUnderTest;

const names = [
  "accept",
  "next",
  "busy",
  "state",
  "renew",
  "peek",
  "defer",
  "release",
  "poll",
  "timeout",
  "lost",
  "subscribe",
  "order",
  "empty",
  "dead",
  "delete",
] as const;

beforeAll(async () => {
  const properties = { RequiresSession: true, LockDuration: "PT30S", MaxDeliveryCount: 3 };
  bus = await startBus({
    queues: { ...Object.fromEntries(names.map((name) => [name, properties])), plain: {} },
  });
});

afterAll(() => bus.stop());

const send = (
  queue: (typeof names)[number],
  ...messages: readonly (readonly [sessionId: string, body: unknown])[]
) => bus.client.createSender(queue).sendMessages(messages.map(([sessionId, body]) => ({ sessionId, body })));
const noRenewal = { maxAutoLockRenewalDurationInMs: 0 };

test("session: accept: the holder gets that session's messages alone, in order", async () => {
  await send("accept", ["a", 1], ["b", 2], ["a", 3]);
  const receiver = await bus.client.acceptSession("accept", "a", noRenewal);
  expect(receiver.sessionLockedUntilUtc.getTime()).toBe(bus.clock.now() + 30_000);
  const messages = await receiver.receiveMessages(2, { maxWaitTimeInMs: 5000 });
  expect(messages.map(({ body, sessionId }) => [body as number, sessionId])).toEqual([
    [1, "a"],
    [3, "a"],
  ]);
  for (const message of messages) await receiver.completeMessage(message);
  expect((await contents(bus, "accept")).map(({ body }) => body as number)).toEqual([2]);
  await receiver.close();
});

test("session: next: sessions are given out one by one, those held are passed over", async () => {
  await send("next", ["a", 1], ["b", 2]);
  const first = await bus.client.acceptNextSession("next", noRenewal);
  const second = await bus.client.acceptNextSession("next", noRenewal);
  expect([first.sessionId, second.sessionId]).toEqual(["a", "b"]);
  await Promise.all([first.close(), second.close()]);
});

test("session: busy: a session that is held cannot be accepted by another", async () => {
  const receiver = await bus.client.acceptSession("busy", "a", noRenewal);
  const error = await failureOf(bus.connect().acceptSession("busy", "a"));
  expect(error).toMatchObject({ code: "SessionCannotBeLocked" });
  await receiver.close();
  await (await bus.client.acceptSession("busy", "a")).close();
});

test("session: state: survives the receiver and the absence of messages", async () => {
  const receiver = await bus.client.acceptSession("state", "a", noRenewal);
  expect(await receiver.getSessionState()).toBeNull();
  await receiver.setSessionState({ step: 3 });
  await receiver.close();
  const again = await bus.client.acceptSession("state", "a", noRenewal);
  expect(await again.getSessionState()).toEqual({ step: 3 });
  await again.close();
});

test("session: renew: keeps the session and its messages", async () => {
  await send("renew", ["a", 1]);
  const receiver = await bus.client.acceptSession("renew", "a", noRenewal);
  const message = await receiveOne(receiver);
  bus.clock.advance(20_000);
  expect((await receiver.renewSessionLock()).getTime()).toBe(bus.clock.now() + 30_000);
  bus.clock.advance(20_000);
  await receiver.completeMessage(message);
  await receiver.close();
});

test("session: peek: shows the session's messages alone", async () => {
  await send("peek", ["a", 1], ["b", 2], ["a", 3]);
  const receiver = await bus.client.acceptSession("peek", "a", noRenewal);
  expect((await receiver.peekMessages(10)).map(({ body }) => body as number)).toEqual([1, 3]);
  await receiver.close();
});

test("session: defer: a deferred message of the session is received by its number and completed", async () => {
  await send("defer", ["a", 1]);
  const receiver = await bus.client.acceptSession("defer", "a", noRenewal);
  const message = await receiveOne(receiver);
  await receiver.deferMessage(message);
  const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber!);
  expect(deferred).toMatchObject({ body: 1, sessionId: "a" });
  await receiver.completeMessage(deferred!);
  expect(await contents(bus, "defer")).toEqual([]);
  await receiver.close();
});

test("session: release: closing gives the messages back, and the attempt does not count", async () => {
  await send("release", ["a", 1]);
  const receiver = await bus.client.acceptSession("release", "a", noRenewal);
  await receiveOne(receiver);
  await receiver.close();
  const again = await bus.client.acceptNextSession("release", noRenewal);
  expect(await receiveOne(again)).toMatchObject({ body: 1, deliveryCount: 0 });
  await again.close();
});

test("session: long poll: a client that asks for any session gets it as soon as it has a message", async () => {
  const waiting = bus.client.acceptNextSession("poll", noRenewal);
  /** The other link's answer comes after the attach of this connection was read. */
  await contents(bus, "poll");
  await send("poll", ["late", 1]);
  const receiver = await waiting;
  expect(receiver.sessionId).toBe("late");
  expect((await receiveOne(receiver)).body).toBe(1);
  await receiver.close();
});

test("session: none available: fails with ServiceTimeout when the client's patience ends", async () => {
  const client = bus.connect();
  const waiting = failureOf(client.acceptNextSession("timeout", noRenewal));
  const move = setInterval(() => bus.clock.advance(1000), 5);
  const error = await waiting;
  clearInterval(move);
  const { errors } = error as { errors?: readonly { code?: string }[] };
  expect((errors ?? [error]).map(({ code }) => code)).toContain("ServiceTimeout");
  expect(retryOptions.timeoutInMs).toBe(5000);
}, 40_000);

test("session: lock lost: the receiver is told, settling fails, and the attempt counts", async () => {
  await send("lost", ["a", 1]);
  const receiver = await bus.client.acceptSession("lost", "a", noRenewal);
  const message = await receiveOne(receiver);
  bus.clock.advance(30_000);
  await until(() => receiver.isClosed);
  const again = await bus.client.acceptSession("lost", "a", noRenewal);
  expect(await receiveOne(again)).toMatchObject({ body: 1, deliveryCount: 1 });
  expect(message.deliveryCount).toBe(0);
  await again.close();
});

test("session: settling after the lock is lost: fails with SessionLockLost", async () => {
  await send("dead", ["a", 1]);
  const receiver = await bus.client.acceptSession("dead", "a", noRenewal);
  const message = await receiveOne(receiver);
  bus.clock.advance(30_000);
  await until(() => receiver.isClosed);
  expect(await failureOf(receiver.completeMessage(message))).toMatchObject({ code: "SessionLockLost" });
});

test("session: subscribe: handles the messages of one session one after the other", async () => {
  await send("subscribe", ["a", 1], ["a", 2], ["a", 3]);
  const receiver = await bus.client.acceptSession("subscribe", "a", noRenewal);
  const seen: number[] = [];
  receiver.subscribe({
    processMessage({ body }) {
      seen.push(body as number);
      return Promise.resolve();
    },
    processError: () => Promise.resolve(),
  });
  await until(() => seen.length === 3);
  expect(seen).toEqual([1, 2, 3]);
  await until(async () => (await contents(bus, "subscribe")).length === 0);
  await receiver.close();
});

test("session: receive and delete: takes the session's messages off the queue", async () => {
  await send("delete", ["a", 1], ["a", 2]);
  const receiver = await bus.client.acceptSession("delete", "a", { receiveMode: "receiveAndDelete" });
  expect(await receiver.receiveMessages(2, { maxWaitTimeInMs: 5000 })).toHaveLength(2);
  expect(await contents(bus, "delete")).toEqual([]);
  await receiver.close();
});

test("session: abandon and dead-letter: work as without sessions", async () => {
  await send("order", ["a", 1], ["a", 2]);
  const receiver = await bus.client.acceptSession("order", "a", noRenewal);
  await receiver.abandonMessage(await receiveOne(receiver));
  const again = await receiveOne(receiver);
  expect(again).toMatchObject({ body: 1, deliveryCount: 1 });
  await receiver.deadLetterMessage(again, { deadLetterReason: "why", deadLetterErrorDescription: "because" });
  expect(await contents(bus, "order", "deadLetter")).toMatchObject([
    { body: 1, sessionId: "a", deadLetterReason: "why" },
  ]);
  await receiver.close();
});

test("session: a message without session id: is refused", async () => {
  const error = await failureOf(bus.client.createSender("empty").sendMessages({ body: 1 }));
  expect(error.message).toMatch(/InvalidOperationError.*SessionId/);
});

test("session: the wrong kind of receiver: is refused, on either kind of entity", async () => {
  const plain = bus.client.createReceiver("empty");
  expect((await failureOf(plain.receiveMessages(1, { maxWaitTimeInMs: 1000 }))).message).toMatch(
    /requires sessions/,
  );
  expect(await failureOf(bus.client.acceptSession("plain", "a"))).toMatchObject({
    code: "SessionCannotBeLocked",
  });
});
