import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterEach, expect, test } from "vitest";

import { readConfig } from "../../../local/service-bus/config/read-config.ts";
import { startServiceBus, type ServiceBusServer } from "../../../local/service-bus/server.ts";
import {
  type BatchSender,
  createBatchSender,
  type OutgoingMessage,
} from "../../../shared/platform/batch-sender.ts";

const config = readConfig(
  JSON.stringify({
    UserConfig: { Namespaces: [{ Name: "b", Queues: [{ Name: "jobs", Properties: {} }], Topics: [] }] },
  }),
);

const senders: BatchSender[] = [];
const buses: ServiceBusServer[] = [];
afterEach(async () => {
  // In this order: a client whose bus is gone takes its time to close.
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
  await Promise.all(buses.splice(0).map((bus) => bus.stop()));
});

async function startBus(port = 0): Promise<ServiceBusServer> {
  const bus = await startServiceBus({ port, adminPort: 0, config });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= bus.stop());
  buses.push({ ...bus, stop });
  return { ...bus, stop };
}

interface Opened {
  readonly sender: BatchSender;
  readonly clients: ServiceBusClient[];
}

/** A sender whose every client is known; they give up at once. */
function openSender(connectionString: string): Opened {
  const clients: ServiceBusClient[] = [];
  const sender = createBatchSender(() => {
    const retryOptions = { maxRetries: 0, timeoutInMs: 2000 };
    const client = new ServiceBusClient(connectionString, { retryOptions });
    clients.push(client);
    return Promise.resolve(client);
  }, "jobs");
  senders.push(sender);
  return { sender, clients };
}

const message = (n: number, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  messageId: `m${n}`,
  correlationId: `c${n}`,
  tenantId: "demo",
  body: { n },
  ...more,
});

async function receive(connectionString: string, count: number): Promise<ServiceBusReceivedMessage[]> {
  const client = new ServiceBusClient(connectionString);
  const receiver = client.createReceiver("jobs", { receiveMode: "receiveAndDelete" });
  const received: ServiceBusReceivedMessage[] = [];
  while (received.length < count) received.push(...(await receiver.receiveMessages(count - received.length)));
  await client.close();
  return received;
}

test("a message arrives as it was sent", async () => {
  const { connectionString } = await startBus();
  const { sender } = openSender(connectionString);
  await sender.send(message(1, { subject: "orders" }));
  const [received] = await receive(connectionString, 1);
  expect(received).toMatchObject({
    messageId: "m1",
    correlationId: "c1",
    subject: "orders",
    contentType: "application/json",
    applicationProperties: { tenantId: "demo" },
  });
  expect(received?.body).toEqual({ n: 1 });
});

test("what is sent at once arrives whole and in its order, over one client", async () => {
  const { connectionString } = await startBus();
  const { sender, clients } = openSender(connectionString);
  await Promise.all(Array.from({ length: 1200 }, (_, n) => sender.send(message(n))));
  const received = await receive(connectionString, 1200);
  expect(received.map(({ messageId }) => messageId)).toEqual(Array.from({ length: 1200 }, (_, n) => `m${n}`));
  expect(clients).toHaveLength(1);
});

test("large messages are divided into batches that the bus takes", async () => {
  const { connectionString } = await startBus();
  const { sender } = openSender(connectionString);
  const text = "x".repeat(90 * 1024);
  await Promise.all(Array.from({ length: 9 }, (_, n) => sender.send(message(n, { body: { text } }))));
  expect(await receive(connectionString, 9)).toHaveLength(9);
});

test("a message no bus would take fails alone and costs nobody the connection", async () => {
  const { connectionString } = await startBus();
  const { sender, clients } = openSender(connectionString);
  const outcomes = await Promise.allSettled([
    sender.send(message(1)),
    sender.send(message(2, { body: "x".repeat(2 * 1024 * 1024) })),
    sender.send(message(3)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  await sender.send(message(4));
  expect((await receive(connectionString, 3)).map(({ messageId }) => messageId)).toEqual(["m1", "m3", "m4"]);
  expect(clients).toHaveLength(1);
});

test("what cannot be written as JSON fails alone", async () => {
  const { connectionString } = await startBus();
  const { sender } = openSender(connectionString);
  const [bad, good] = await Promise.allSettled([
    sender.send(message(1, { body: 1n })),
    sender.send(message(2)),
  ]);
  expect([bad.status, good.status]).toEqual(["rejected", "fulfilled"]);
});

test("while the bus is gone messages are refused, and once it is back they go over a new client", async () => {
  const bus = await startBus();
  const { sender, clients } = openSender(bus.connectionString);
  await sender.send(message(1));
  await bus.stop();
  const refused = await Promise.allSettled([sender.send(message(2)), sender.send(message(3))]);
  expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const back = await startBus(bus.port);
  await sender.send(message(4));
  const [received] = await receive(back.connectionString, 1);
  expect(received?.messageId).toBe("m4");
  expect(clients.length).toBeGreaterThan(1);
});

test("a client that cannot be made fails what wanted it, and the next is made anew", async () => {
  const { connectionString } = await startBus();
  let tries = 0;
  const sender = createBatchSender(async () => {
    if (++tries === 1) throw new Error("no credential yet");
    return new ServiceBusClient(connectionString);
  }, "jobs");
  senders.push(sender);
  await expect(sender.send(message(1))).rejects.toThrow("no credential yet");
  await sender.send(message(2));
});

test("FST-08: a message for later is there then, and not before", async () => {
  const { connectionString } = await startBus();
  const { sender } = openSender(connectionString);
  const at = new Date(Date.now() + 400);
  await sender.send(message(1, { at }));
  const [received] = await receive(connectionString, 1);
  expect(received?.enqueuedTimeUtc?.getTime()).toBeGreaterThanOrEqual(at.getTime());
  expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
});
