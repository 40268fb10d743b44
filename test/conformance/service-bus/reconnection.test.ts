import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";

import { readConfig } from "../../../local/service-bus/config/read-config.ts";
import { startServiceBus } from "../../../local/service-bus/server.ts";
import {
  configText,
  contents,
  receiveOne,
  retryOptions,
  startBus,
  until,
  type BusUnderTest,
} from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  bus = await startBus({ queues: { dropped: {}, "dropped-settle": {}, "dropped-subscribe": {}, drain: {} } });
});

afterAll(() => bus.stop());

/** A wire between client and server that can be cut. */
async function cuttableWire(port: number) {
  const sockets = new Set<Socket>();
  const wire: Server = createServer((near) => {
    const far = connectTcp(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => wire.listen(0, "127.0.0.1", resolve));
  const { port: wirePort } = wire.address() as { port: number };
  const client = new ServiceBusClient(bus.server.connectionString.replace(`:${port};`, `:${wirePort};`), {
    retryOptions,
  });
  return {
    client,
    /** Cuts the wire and returns when the client must have noticed: a later connection has been established. */
    cut: async () => {
      const doomed = [...sockets];
      for (const socket of doomed) socket.destroy();
      await until(() => doomed.every((socket) => !sockets.has(socket)));
      const probe = connectTcp(wirePort, "127.0.0.1");
      await once(probe, "connect");
      probe.destroy();
    },
    close: async () => {
      await client.close();
      wire.close();
    },
  };
}

test("connection: lost: the next send, receive and peek work on a new one", async () => {
  const { client, cut, close } = await cuttableWire(bus.server.port);
  const sender = client.createSender("dropped");
  const receiver = client.createReceiver("dropped");
  await sender.sendMessages({ body: 1 });
  await cut();
  await sender.sendMessages({ body: 2 });
  await cut();
  expect((await receiveOne(receiver)).body).toBe(1);
  await cut();
  expect((await receiver.peekMessages(10)).length).toBeGreaterThan(0);
  await close();
});

test("connection: lost: a message received before is settled by its lock token", async () => {
  const { client, cut, close } = await cuttableWire(bus.server.port);
  const receiver = client.createReceiver("dropped-settle");
  await client.createSender("dropped-settle").sendMessages({ body: 1 });
  const message = await receiveOne(receiver);
  await cut();
  await until(async () => {
    try {
      await receiver.completeMessage(message);
      return true;
    } catch {
      return false;
    }
  });
  expect(await contents(bus, "dropped-settle")).toEqual([]);
  await close();
});

test("connection: lost: subscribe goes on by itself", async () => {
  const { client, cut, close } = await cuttableWire(bus.server.port);
  const seen: number[] = [];
  const receiver = client.createReceiver("dropped-subscribe");
  receiver.subscribe({
    processMessage({ body }) {
      seen.push(body as number);
      return Promise.resolve();
    },
    processError: () => Promise.resolve(),
  });
  const sender = bus.client.createSender("dropped-subscribe");
  await sender.sendMessages({ body: 1 });
  await until(() => seen.includes(1));
  await cut();
  await sender.sendMessages({ body: 2 });
  await until(() => seen.includes(2));
  expect(seen.filter((body) => body === 2)).toHaveLength(1);
  await close();
});

test("connection: drain: hundreds of short receives neither lose nor hold back a message", async () => {
  const sender = bus.client.createSender("drain");
  const receiver = bus.client.createReceiver("drain");
  let received = 0;
  for (let round = 0; round < 150; round++) {
    await sender.sendMessages({ body: round });
    const messages = await receiver.receiveMessages(round % 3 === 0 ? 2 : 1, { maxWaitTimeInMs: 15 });
    for (const message of messages) await receiver.completeMessage(message);
    received += messages.length;
  }
  await until(async () => {
    const messages = await receiver.receiveMessages(10, { maxWaitTimeInMs: 50 });
    for (const message of messages) await receiver.completeMessage(message);
    received += messages.length;
    return received === 150;
  });
  expect(await contents(bus, "drain")).toEqual([]);
});

test("journal: restart: messages, states, sessions, rules and duplicate ids survive; the rest of the file's entities too", async () => {
  const journalDir = mkdtempSync(join(tmpdir(), "service-bus-"));
  const entities = {
    queues: {
      q: { MaxDeliveryCount: 5 },
      s: { RequiresSession: true },
      d: { RequiresDuplicateDetection: true },
      removed: {},
    },
    topics: { t: { subscriptions: { one: {} } } },
  };
  const first = await startBus(entities, { journalDir });
  const sender = first.client.createSender("q");
  await sender.sendMessages([
    { body: "kept", applicationProperties: { a: 1 } },
    { body: "abandoned" },
    { body: "deferred" },
    { body: "dead" },
    { body: "completed" },
  ]);
  await sender.scheduleMessages({ body: "scheduled" }, new Date(first.clock.now() + 3_600_000));
  const receiver = first.client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 0 });
  const [, abandoned, deferred, dead, completed] = await receiver.receiveMessages(5, {
    maxWaitTimeInMs: 5000,
  });
  await receiver.abandonMessage(abandoned!, { tried: 1 });
  await receiver.deferMessage(deferred!);
  await receiver.deadLetterMessage(dead!, { deadLetterReason: "why", deadLetterErrorDescription: "because" });
  await receiver.completeMessage(completed!);
  const session = await first.client.acceptSession("s", "a");
  await session.setSessionState({ step: 1 });
  await session.close();
  await first.client.createSender("d").sendMessages({ body: 1, messageId: "once" });
  await first.client.createSender("removed").sendMessages({ body: 1 });
  await first.client.createRuleManager("t", "one").createRule("extra", { sqlExpression: "1=0" });
  await first.admin.createQueue("made");
  await first.client.createSender("made").sendMessages({ body: "in a made queue" });
  await first.stop();

  const { removed: _removed, ...queues } = entities.queues;
  const second = await startBus(
    { ...entities, queues: { ...queues, q: { MaxDeliveryCount: 3 }, added: {} } },
    { journalDir },
  );
  const found = await contents(second, "q");
  expect(
    found.map(({ body, state, deliveryCount, applicationProperties }) => ({
      body: body as string,
      state,
      deliveryCount,
      applicationProperties,
    })),
  ).toEqual([
    { body: "kept", state: "active", deliveryCount: 0, applicationProperties: { a: 1 } },
    { body: "abandoned", state: "active", deliveryCount: 1, applicationProperties: { tried: 1 } },
    { body: "deferred", state: "deferred", deliveryCount: 0, applicationProperties: undefined },
    { body: "scheduled", state: "scheduled", deliveryCount: 0, applicationProperties: undefined },
  ]);
  expect(await contents(second, "q", "deadLetter")).toMatchObject([
    { body: "dead", deadLetterReason: "why" },
  ]);
  const again = await second.client.acceptSession("s", "a");
  expect(await again.getSessionState()).toEqual({ step: 1 });
  await second.client.createSender("d").sendMessages({ body: 2, messageId: "once" });
  expect(await contents(second, "d")).toHaveLength(1);
  expect(await second.admin.getRule("t", "one", "extra")).toMatchObject({ name: "extra" });
  expect(await contents(second, "made")).toMatchObject([{ body: "in a made queue" }]);
  expect(await second.admin.getQueue("q")).toMatchObject({ maxDeliveryCount: 3 });
  expect(await second.admin.queueExists("removed")).toBe(false);
  await second.client.createSender("q").sendMessages({ body: "next" });
  expect((await contents(second, "q")).at(-1)?.sequenceNumber?.toNumber()).toBe(7);
  await second.stop();
  rmSync(journalDir, { recursive: true });
});

test("server: a journal in use: the second server fails and leaves the first one's journal alone", async () => {
  const journalDir = mkdtempSync(join(tmpdir(), "service-bus-"));
  const first = await startBus({ queues: { q: {} } }, { journalDir });
  const config = readConfig(configText({ queues: { other: {} } }));
  await expect(startServiceBus({ port: 0, adminPort: 0, config, journalDir })).rejects.toThrow(
    "is in use by another server",
  );
  await first.client.createSender("q").sendMessages({ body: 1 });
  await first.stop();
  const again = await startBus({ queues: { q: {} } }, { journalDir });
  expect(await contents(again, "q")).toHaveLength(1);
  await again.stop();
  rmSync(journalDir, { recursive: true });
});
