import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { ServiceBusClient } from "@azure/service-bus";
import { afterEach, expect, test } from "vitest";

import { configText, contents, startBus, until } from "./bus-under-test.ts";

const main = "dist/local/service-bus/main.js";
const started: ChildProcess[] = [];
let directory = "";

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  if (directory !== "") rmSync(directory, { recursive: true, force: true });
  directory = "";
});

function prepare(): { readonly config: string; readonly data: string } {
  directory = mkdtempSync(join(tmpdir(), "service-bus-"));
  const config = join(directory, "Config.json");
  writeFileSync(config, configText({ queues: { work: { LockDuration: "PT5M", MaxDeliveryCount: 10 } } }));
  return { config, data: join(directory, "data") };
}

/** Runs the server as its own process and waits for the line that says it is ready. */
async function run(...args: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = /ready, AMQP on [\d.]+:(\d+)/.exec(line);
    if (ready) {
      child.stdout.resume();
      return { child, port: Number(ready[1]) };
    }
  }
  throw new Error("the server ended before it was ready");
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

const connectionString = (port: number): string =>
  `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=k;UseDevelopmentEmulator=true;`;

test("journal: kill -9 under load, three times: no acknowledged message is lost", async () => {
  const { config, data } = prepare();
  const flags = ["--admin-port", "0", "--config", config, "--data", data];
  let { child, port } = await run("--port", "0", ...flags);
  const client = new ServiceBusClient(connectionString(port), {
    retryOptions: { timeoutInMs: 2000, retryDelayInMs: 50, maxRetries: 0 },
  });
  const acknowledged = new Set<number>();
  const received = new Map<number, number>();
  const receiver = client.createReceiver("work");
  receiver.subscribe(
    {
      processMessage({ body }) {
        received.set(body as number, (received.get(body as number) ?? 0) + 1);
        return Promise.resolve();
      },
      processError: () => Promise.resolve(),
    },
    { maxConcurrentCalls: 20 },
  );
  let next = 0;
  const load = { on: true };
  const sender = client.createSender("work");
  const producers = Array.from({ length: 10 }, async () => {
    while (load.on) {
      const body = next++;
      try {
        await sender.sendMessages({ body });
        acknowledged.add(body);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
  for (let round = 1; round <= 3; round++) {
    const target = acknowledged.size + 300;
    await until(() => acknowledged.size >= target, 30_000);
    await kill(child);
    ({ child } = await run("--port", String(port), ...flags));
  }
  const target = acknowledged.size + 300;
  await until(() => acknowledged.size >= target, 30_000);
  load.on = false;
  await Promise.all(producers);
  await until(() => [...acknowledged].every((body) => received.has(body)), 30_000);
  const lost = [...acknowledged].filter((body) => !received.has(body));
  const redelivered = [...received.values()].filter((times) => times > 1).length;
  console.log(`acknowledged ${acknowledged.size}, lost ${lost.length}, redelivered ${redelivered}`);
  expect(lost).toEqual([]);
  await client.close();
}, 90_000);

test("server process: SIGTERM ends it cleanly, and the journal is there for the next one", async () => {
  const { config, data } = prepare();
  const { child, port } = await run("--port", "0", "--admin-port", "0", "--config", config, "--data", data);
  const client = new ServiceBusClient(connectionString(port));
  await client.createSender("work").sendMessages({ body: "kept" });
  await client.close();
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  const bus = await startBus({ queues: { work: {} } }, { journalDir: data });
  expect(await contents(bus, "work")).toMatchObject([{ body: "kept" }]);
  await bus.stop();
});

test.each([
  [
    "an unknown setting",
    '{"UserConfig":{"Namespaces":[{"Queues":[{"Name":"q","Properties":{"LockDuraton":"PT1M"}}],"Topics":[]}]}}',
    /LockDuraton is not known/,
  ],
  ["no JSON", "{", /not JSON/],
] as const)(
  "server process: a bad configuration: %s is named in one line, and the exit code says failure",
  async (_name, text, expected) => {
    const { config } = prepare();
    writeFileSync(config, text);
    const child = spawn(process.execPath, [main, "--config", config], {
      stdio: ["ignore", "inherit", "pipe"],
    });
    started.push(child);
    const lines: string[] = [];
    const ended = once(child, "exit");
    for await (const line of createInterface({ input: child.stderr })) lines.push(line);
    const [code] = (await ended) as [number];
    expect(code).not.toBe(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(expected);
  },
);

test("server process: a taken port: is named in one line, and the exit code says failure", async () => {
  const { config } = prepare();
  const { port } = await run("--port", "0", "--admin-port", "0", "--config", config);
  const args = [main, "--port", String(port), "--admin-port", "0", "--config", config];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "pipe"] });
  started.push(child);
  const lines: string[] = [];
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) lines.push(line);
  expect(await ended).toEqual([1, null]);
  expect(lines).toEqual([
    `Service Bus cannot listen on 127.0.0.1:${port}: it is taken; stop what uses it or choose another`,
  ]);
});
