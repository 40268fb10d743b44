/**
 * Measures the local Service Bus server as a client sees it: its own process, journal on, 1 KB bodies.
 *
 *   npm run bench -- service-bus            every workload, 20,000 messages each
 *   npm run bench -- service-bus --quick    the same with 2,000
 *   npm run bench -- service-bus --million  end to end with 1,000,000 messages, and the server's memory on the way
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { ServiceBusClient, type ServiceBusMessage } from "@azure/service-bus";

const queues = [
  "single",
  "concurrent",
  "batched",
  "subscribed",
  "received",
  "deleted",
  "scheduled",
  "end-to-end",
] as const;
type Queue = (typeof queues)[number];

interface Result {
  readonly workload: string;
  readonly messages: number;
  readonly seconds: number;
}

const body = Buffer.alloc(1024, "x");
const message: ServiceBusMessage = { body };
const repeat = (count: number): ServiceBusMessage[] => Array.from({ length: count }, () => message);

const { values: flags } = parseArgs({
  options: { quick: { type: "boolean", default: false }, million: { type: "boolean", default: false } },
  allowPositionals: true,
});
const directory = mkdtempSync(join(tmpdir(), "bench-service-bus-"));
const server = await startServer();
try {
  if (flags.million) await million();
  else report(await everyWorkload(flags.quick ? 2000 : 20_000));
} finally {
  server.child.kill("SIGTERM");
  await once(server.child, "exit");
  rmSync(directory, { recursive: true, force: true });
}

async function startServer(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const config = join(directory, "Config.json");
  const entities = queues.map((Name) => ({ Name, Properties: { LockDuration: "PT5M" } }));
  const namespace = { Name: "bench", Queues: entities, Topics: [] };
  writeFileSync(config, JSON.stringify({ UserConfig: { Namespaces: [namespace] } }));
  const main = fileURLToPath(new URL("../local/service-bus/main.js", import.meta.url));
  const args = [
    main,
    "--port",
    "0",
    "--admin-port",
    "0",
    "--config",
    config,
    "--data",
    join(directory, "data"),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = /ready, AMQP on [\d.]+:(\d+)/.exec(line);
    if (!ready) continue;
    child.stdout.resume();
    return { child, port: Number(ready[1]) };
  }
  throw new Error("the server did not start");
}

function connect(): ServiceBusClient {
  const key = "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=k";
  return new ServiceBusClient(`Endpoint=sb://127.0.0.1:${server.port};${key};UseDevelopmentEmulator=true;`);
}

async function everyWorkload(count: number): Promise<readonly Result[]> {
  await sendConcurrently("concurrent", 1000);
  await receiveAll("concurrent", 1000);
  const results: Result[] = [];
  const single = Math.min(count, 2000);
  results.push(await timed("send, one at a time", single, () => sendOneByOne("single", single)));
  results.push(await timed("send, 50 in flight", count, () => sendConcurrently("concurrent", count)));
  results.push(await timed("send, batches of 100", count, () => sendBatches("batched", count)));
  results.push(await timed("receive 500 + complete", count, () => receiveAll("concurrent", count)));
  results.push(
    await timed("subscribe, 50 handlers, auto-complete", count, () => subscribe("batched", count)),
  );
  await sendBatches("deleted", count);
  results.push(await timed("receive and delete", count, () => receiveAndDelete("deleted", count)));
  results.push(...(await schedule(count)));
  results.push(await timed("end to end: send, receive, complete", count, () => endToEnd(count)));
  return results;
}

async function timed(workload: string, messages: number, run: () => Promise<unknown>): Promise<Result> {
  const start = performance.now();
  await run();
  return { workload, messages, seconds: (performance.now() - start) / 1000 };
}

async function sendOneByOne(queue: Queue, count: number): Promise<void> {
  const client = connect();
  const sender = client.createSender(queue);
  for (let sent = 0; sent < count; sent++) await sender.sendMessages(message);
  await client.close();
}

async function sendConcurrently(queue: Queue, count: number, client = connect()): Promise<void> {
  const sender = client.createSender(queue);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next++ < count) await sender.sendMessages(message);
  };
  await Promise.all(Array.from({ length: 50 }, lane));
  await sender.close();
}

async function sendBatches(queue: Queue, count: number): Promise<void> {
  const client = connect();
  const sender = client.createSender(queue);
  let next = 0;
  const lane = async (): Promise<void> => {
    while ((next += 100) <= count) await sender.sendMessages(repeat(100));
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  await client.close();
}

async function receiveAll(queue: Queue, count: number): Promise<void> {
  const client = connect();
  const receiver = client.createReceiver(queue, { maxAutoLockRenewalDurationInMs: 0 });
  for (let received = 0; received < count;) {
    const messages = await receiver.receiveMessages(Math.min(500, count - received));
    await Promise.all(messages.map((one) => receiver.completeMessage(one)));
    received += messages.length;
  }
  await client.close();
}

async function receiveAndDelete(queue: Queue, count: number): Promise<void> {
  const client = connect();
  const receiver = client.createReceiver(queue, { receiveMode: "receiveAndDelete" });
  for (let received = 0; received < count;) {
    received += (await receiver.receiveMessages(Math.min(500, count - received))).length;
  }
  await client.close();
}

async function subscribe(queue: Queue, count: number, client = connect()): Promise<void> {
  const receiver = client.createReceiver(queue, { maxAutoLockRenewalDurationInMs: 0 });
  let received = 0;
  await new Promise<void>((resolve, reject) => {
    receiver.subscribe(
      {
        processMessage() {
          if (++received === count) resolve();
          return Promise.resolve();
        },
        processError({ error }) {
          reject(error);
          return Promise.resolve();
        },
      },
      { maxConcurrentCalls: 50 },
    );
  });
  await receiver.close();
}

/** Schedules everything for one moment, then measures how fast it arrives from that moment on. */
async function schedule(count: number): Promise<readonly Result[]> {
  const client = connect();
  const sender = client.createSender("scheduled");
  const due = new Date(Date.now() + Math.max(3000, count / 2));
  const scheduled = await timed("schedule, 100 at a time", count, async () => {
    for (let sent = 0; sent < count; sent += 100) await sender.scheduleMessages(repeat(100), due);
  });
  await new Promise((resolve) => setTimeout(resolve, due.getTime() - Date.now()));
  const arrived = await timed("scheduled: from due to received and completed", count, () =>
    subscribe("scheduled", count),
  );
  await client.close();
  return [scheduled, arrived];
}

async function endToEnd(count: number): Promise<void> {
  const client = connect();
  await Promise.all([sendConcurrently("end-to-end", count, client), subscribe("end-to-end", count, client)]);
  await client.close();
}

/** A million messages in ten parts; what the server holds must not grow with what has passed through it. */
async function million(): Promise<void> {
  for (let part = 1; part <= 10; part++) {
    const { seconds } = await timed("", 100_000, () => endToEnd(100_000));
    const journal = statSync(join(directory, "data", "service-bus.journal")).size;
    console.log(
      `${part * 100}k messages: ${rate(100_000, seconds)} msg/s, server memory ${residentMegabytes()} MB, ` +
        `journal ${Math.round(journal / 1e6)} MB`,
    );
  }
}

/** Resident memory of the server process, where the system tells. */
function residentMegabytes(): string {
  try {
    const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
    return String(Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024));
  } catch {
    return "?";
  }
}

function rate(messages: number, seconds: number): string {
  return Math.round(messages / seconds).toLocaleString("en");
}

function report(results: readonly Result[]): void {
  console.log("| workload | messages | msg/s |");
  console.log("| --- | ---: | ---: |");
  for (const { workload, messages, seconds } of results) {
    console.log(`| ${workload} | ${messages.toLocaleString("en")} | ${rate(messages, seconds)} |`);
  }
  console.log(`Server memory afterwards: ${residentMegabytes()} MB`);
}
