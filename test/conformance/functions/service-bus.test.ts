import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type ServiceBusMessage, ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { createHost } from "../../../local/host/host.ts";
import { readConfig } from "../../../local/service-bus/config/read-config.ts";
import { type ServiceBusServer, startServiceBus } from "../../../local/service-bus/server.ts";
import { fixtureApp } from "../../support/fixture-app.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";
import { LogLines } from "../../support/log-lines.ts";

interface Report {
  readonly body: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const channel = fixtureChannel();
const log = new LogLines();
const journalDir = mkdtempSync(join(tmpdir(), "bus-"));
let server: ServiceBusServer;
let client: ServiceBusClient;
let host: Awaited<ReturnType<typeof createHost>>;

beforeAll(async () => {
  server = await startBus(0);
  client = openClient();
  host = await startHost();
});
afterAll(async () => {
  await host.stop();
  await client.close();
  await server.stop();
  rmSync(journalDir, { recursive: true });
});
afterEach(() => channel.clear());

function startBus(port: number, ...more: readonly string[]): Promise<ServiceBusServer> {
  const queue = (Name: string, Properties: object = {}): object => ({
    Name,
    Properties: { LockDuration: "PT10S", MaxDeliveryCount: 3, ...Properties },
  });
  const plain = ["single", "limited", "batch", "in", "out", ...more].map((name) => queue(name));
  const Queues = [
    ...plain,
    queue("mixed", { MaxDeliveryCount: 1 }),
    queue("slow", { LockDuration: "PT2S" }),
    queue("manual", { LockDuration: "PT2S" }),
    queue("ordered", { RequiresSession: true }),
    queue("ordered-batch", { RequiresSession: true }),
  ];
  const Topics = [{ Name: "news", Subscriptions: [{ Name: "all" }, { Name: "spare" }] }];
  const config = readConfig(
    JSON.stringify({ UserConfig: { Namespaces: [{ Name: "test", Queues, Topics }] } }),
  );
  return startServiceBus({ port, adminPort: 0, config, journalDir });
}

function openClient(): ServiceBusClient {
  const retryOptions = { timeoutInMs: 5000, retryDelayInMs: 100, maxRetries: 5 };
  return new ServiceBusClient(server.connectionString, { retryOptions });
}

function startHost(): ReturnType<typeof createHost> {
  return createHost({
    scriptRoot: fixtureApp("service-bus"),
    port: 0,
    settings: { TEST_BUS: server.connectionString, TEST_TOPIC: "news", "AzureWebJobs.off.Disabled": "1" },
    log: log.sink,
  });
}

async function send(entity: string, ...messages: ServiceBusMessage[]): Promise<void> {
  const sender = client.createSender(entity);
  await sender.sendMessages(messages);
  await sender.close();
}

async function reports(name: string, count = 1): Promise<Report[]> {
  return (await channel.reports(name, count)) as Report[];
}

/**
 * Looks again and again, because nothing tells when a settlement has reached the server. A client of its own looks
 * from the beginning, and then from the message it found last.
 */
async function emptied(queue: string): Promise<void> {
  const onlooker = openClient();
  const receiver = onlooker.createReceiver(queue);
  let [found] = await receiver.peekMessages(1);
  while (found?.sequenceNumber !== undefined) {
    [found] = await receiver.peekMessages(1, { fromSequenceNumber: found.sequenceNumber });
  }
  await onlooker.close();
}

async function taken(queue: string, count: number): Promise<ServiceBusReceivedMessage[]> {
  const receiver = client.createReceiver(queue, {
    receiveMode: "receiveAndDelete",
    skipParsingBodyAsJson: true,
  });
  const messages: ServiceBusReceivedMessage[] = [];
  while (messages.length < count) messages.push(...(await receiver.receiveMessages(count - messages.length)));
  await receiver.close();
  return messages;
}

async function deadLetters(queue: string, count: number): Promise<ServiceBusReceivedMessage[]> {
  const receiver = client.createReceiver(queue, {
    receiveMode: "receiveAndDelete",
    subQueueType: "deadLetter",
  });
  const messages: ServiceBusReceivedMessage[] = [];
  while (messages.length < count) messages.push(...(await receiver.receiveMessages(count - messages.length)));
  await receiver.close();
  return messages;
}

function textsOf(messages: readonly ServiceBusReceivedMessage[]): string[] {
  return messages.map(({ body }) => (body as Buffer).toString("utf8"));
}

describe("a message", () => {
  test("reaches the function with its body and what the broker knows of it, and is then gone", async () => {
    await send("single", {
      body: { order: 7 },
      messageId: "m-1",
      correlationId: "c-1",
      subject: "orders",
      contentType: "application/json",
      applicationProperties: { tenant: "t1" },
    });
    const [report] = await reports("single");
    expect(report?.body).toEqual({ order: 7 });
    expect(report?.metadata).toMatchObject({
      messageId: "m-1",
      correlationId: "c-1",
      subject: "orders",
      label: "orders",
      contentType: "application/json",
      deliveryCount: 1,
      sequenceNumber: expect.any(Number) as number,
      lockToken: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      enqueuedTimeUtc: expect.stringMatching(/^20.*Z$/) as string,
      applicationProperties: { tenant: "t1" },
      userProperties: { tenant: "t1" },
      order: 7,
    });
    await emptied("single");
  });

  test("that is no JSON arrives as text", async () => {
    await send("single", { body: Buffer.from("plain text") });
    expect((await reports("single"))[0]?.body).toBe("plain text");
  });

  test("of a topic reaches the function of the subscription", async () => {
    await send("news", { body: { headline: "It works" } });
    expect((await reports("subscriber"))[0]?.body).toEqual({ headline: "It works" });
  });

  test("that the function cannot handle comes again until the broker gives it up", async () => {
    await send("single", { body: { fail: true }, messageId: "bad" });
    const all = await reports("single", 3);
    expect(all.map(({ metadata }) => metadata["deliveryCount"])).toEqual([1, 2, 3]);
    const [dead] = await deadLetters("single", 1);
    expect(dead).toMatchObject({ messageId: "bad", deadLetterReason: "MaxDeliveryCountExceeded" });
  });

  test("is settled by its own outcome, whatever ends in the same moment", async () => {
    const messages = Array.from({ length: 40 }, (_, index) => ({
      body: { fail: index % 3 === 0 },
      messageId: `mixed-${index}`,
    }));
    channel.hold("mixed");
    await send("mixed", ...messages);
    await reports("mixed", 4);
    channel.release("mixed");
    const dead = await deadLetters("mixed", 14);
    const failing = messages.filter(({ body }) => body.fail).map(({ messageId }) => messageId);
    expect(new Set(dead.map(({ messageId }) => messageId))).toEqual(new Set(failing));
    await emptied("mixed");
    expect(channel.reported("mixed")).toHaveLength(40);
  });

  test("waits while as many are handled as may be at once", async () => {
    channel.hold("limited");
    await send("limited", ...Array.from({ length: 6 }, (_, index) => ({ body: index })));
    await reports("limited", 4);
    expect(channel.reported("limited")).toHaveLength(4);
    channel.release("limited");
    await reports("limited", 6);
    await emptied("limited");
  });

  test("stays locked while its function runs, however long that takes", async () => {
    channel.hold("slow");
    await send("slow", { body: "slow" });
    await reports("slow");
    const rival = client.createReceiver("slow");
    expect(await rival.receiveMessages(1, { maxWaitTimeInMs: 4500 })).toEqual([]);
    await rival.close();
    channel.release("slow");
    await emptied("slow");
    expect(channel.reported("slow")).toHaveLength(1);
  });

  test("is left alone by a function that does not want it completed, and comes again", async () => {
    await send("manual", { body: "twice" });
    const all = await reports("manual", 2);
    expect(all.map(({ metadata }) => metadata["deliveryCount"])).toEqual([1, 2]);
  });
});

describe("a batch of messages", () => {
  test("reaches the function in one call, in order, with metadata for each", async () => {
    const messages = Array.from({ length: 5 }, (_, index) => ({
      body: { index },
      messageId: `batch-${index}`,
    }));
    await send("batch", ...messages);
    await emptied("batch");
    const all = await reports("batch");
    expect(all.flatMap(({ body }) => body)).toEqual(messages.map(({ body }) => body));
    expect(all.flatMap(({ metadata }) => metadata["messageIdArray"])).toEqual(
      messages.map(({ messageId }) => messageId),
    );
    expect(all.length).toBeLessThan(5);
  });

  test("that fails comes again whole", async () => {
    await send("batch", { body: { fail: true }, messageId: "x" }, { body: { fine: true }, messageId: "y" });
    const dead = await deadLetters("batch", 2);
    expect(dead.map(({ messageId }) => messageId)).toEqual(["x", "y"]);
  });
});

describe("a session", () => {
  test("is handled in order, one message at a time", async () => {
    const messages = Array.from({ length: 12 }, (_, index) => ({
      body: { index },
      sessionId: `session-${index % 3}`,
    }));
    await send("ordered", ...messages);
    const all = await reports("ordered", 12);
    for (const sessionId of ["session-0", "session-1", "session-2"]) {
      const own = all.filter(({ metadata }) => metadata["sessionId"] === sessionId);
      const indexes = own.map(({ body }) => (body as { index: number }).index);
      expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
      expect(indexes).toHaveLength(4);
    }
  });

  test("may be handled in batches of its own messages", async () => {
    const messages = Array.from({ length: 6 }, (_, index) => ({ body: index, sessionId: `s${index % 2}` }));
    await send("ordered-batch", ...messages);
    const seen = async (): Promise<number> =>
      (channel.reported("ordered-batch") as Report[]).flatMap(({ body }) => body).length;
    for (let count = 1; (await seen()) < 6; count++) await reports("ordered-batch", count);
    for (const { body, metadata } of channel.reported("ordered-batch") as Report[]) {
      const parities = new Set((body as number[]).map((index) => `s${index % 2}`));
      expect([...parities]).toEqual([...new Set(metadata["sessionIdArray"] as string[])]);
    }
  });
});

describe("an output", () => {
  async function post(path: string, body: string | Buffer): Promise<number> {
    const response = await fetch(`${host.url}/api/${path}`, { method: "POST", body });
    return response.status;
  }

  test("sends one message for each element of an array", async () => {
    expect(await post("send", JSON.stringify({ toQueue: [{ n: 1 }, "two", 3] }))).toBe(202);
    expect(textsOf(await taken("out", 3))).toEqual(['{"n":1}', "two", "3"]);
  });

  test("sends an object as JSON and a text as it is, to queues and topics", async () => {
    expect(await post("send", JSON.stringify({ toQueue: "text", toTopic: { a: 1 } }))).toBe(202);
    expect(textsOf(await taken("out", 1))).toEqual(["text"]);
    expect((await reports("subscriber"))[0]?.body).toEqual({ a: 1 });
  });

  test("sends bytes as they are", async () => {
    expect(await post("send-bytes", Buffer.from([0, 255, 10]))).toBe(202);
    const bodies = (await taken("out", 1)).map(({ body }) => body as Buffer);
    expect(bodies).toEqual([Buffer.from([0, 255, 10])]);
  });

  test("sends what the function returned", async () => {
    await send("in", { body: { id: 1 } });
    expect(textsOf(await taken("out", 2))).toEqual(['{"forwarded":{"id":1}}', "and a text"]);
  });

  test("sends more than fits into one transfer", async () => {
    const text = "x".repeat(100_000);
    const elements = Array.from({ length: 8 }, (_, index) => `${index}${text}`);
    expect(await post("send", JSON.stringify({ toQueue: elements }))).toBe(202);
    expect(textsOf(await taken("out", 8)).map((each) => each[0])).toEqual("01234567".split(""));
  });

  test("sends nothing when the function failed", async () => {
    expect(await post("send-and-fail", "")).toBe(500);
    expect(await post("send", JSON.stringify({ toQueue: "next" }))).toBe(202);
    expect(textsOf(await taken("out", 1))).toEqual(["next"]);
  });
});

describe("a queue that does not exist", () => {
  test("is named in the log, once, with what to do", async () => {
    const of = { level: "Error", category: "Function.late" } as const;
    await log.until(of);
    expect(log.matching(of).map(({ message }) => message)).toEqual([
      "Queue 'late' does not exist: create it on the server, or correct the function's binding; the host keeps trying",
    ]);
  });
});

describe("a broker that goes away", () => {
  const receivers = ["single", "batch", "ordered"];
  const outage = (name: string) =>
    ({ level: "Error", category: `Function.${name}`, text: "cannot be received" }) as const;
  const recovery = (name: string) =>
    ({ level: "Information", category: `Function.${name}`, text: "again" }) as const;

  test("is missed, once a function, and what is sent to it fails", async () => {
    await client.close();
    await server.stop();
    for (const name of receivers) await log.until(outage(name));
    const response = await fetch(`${host.url}/api/send`, { method: "POST", body: '{"toQueue":"lost"}' });
    expect(response.status).toBe(500);
  });

  test("is received from when it is back, with the queues it has by then", async () => {
    server = await startBus(server.port, "late");
    client = openClient();
    await send("single", { body: "after" });
    await send("batch", { body: "after" });
    await send("ordered", { body: "after", sessionId: "s" });
    await send("late", { body: "created" });
    expect((await reports("single"))[0]?.body).toBe("after");
    expect((await reports("batch"))[0]?.body).toEqual(["after"]);
    expect((await reports("ordered"))[0]?.body).toBe("after");
    expect((await reports("late"))[0]?.body).toBe("created");
    for (const name of receivers) {
      await log.until(recovery(name));
      expect(log.matching(outage(name)).map(({ message }) => message)).toHaveLength(1);
      expect(log.matching(recovery(name)).map(({ message }) => message)).toHaveLength(1);
    }
  });
});

describe("a host that stops", () => {
  test("ends what it has begun and leaves the rest in the queue", async () => {
    channel.hold("limited");
    await send("limited", ...Array.from({ length: 6 }, (_, index) => ({ body: index })));
    await reports("limited", 4);
    const stopping = host.stop();
    channel.release("limited");
    await stopping;
    const started = channel.reported("limited").length;
    const rest = await taken("limited", 6 - started);
    expect(rest).toHaveLength(6 - started);
    expect(rest.every(({ deliveryCount }) => deliveryCount === 0)).toBe(true);
    host = await startHost();
  });
});
