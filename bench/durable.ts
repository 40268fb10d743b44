/**
 * Durable Functions on this host: orchestrations of two activities a second, what a long history costs, and how long
 * a host takes to start on a full hub. `npm run bench -- durable [--quick] [throughput|http|replay|recovery ...]`.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isFinished } from "../local/host/durable/history.ts";
import type { Instance } from "../local/host/durable/instance.ts";
import type { JournalOptions } from "../local/host/durable/journal.ts";
import { createHost, type Host } from "../local/host/host.ts";

const quick = process.argv.includes("--quick");
const scriptRoot = join(import.meta.dirname, "../../bench/app");
const folders: string[] = [];

const finished = (instance: Instance | undefined): boolean =>
  instance?.kind === "orchestration" && isFinished(instance.status);

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "interlock-bench-"));
  folders.push(dir);
  return dir;
}

function host(dataDir: string | undefined, hub: JournalOptions = {}): Promise<Host> {
  return createHost({ scriptRoot, port: 0, hub, ...(dataDir !== undefined && { dataDir }) });
}

/** Runs `count` times `work`, `width` at a time, and answers with how many a second. */
async function rate(count: number, width: number, work: (index: number) => Promise<void>): Promise<number> {
  let next = 0;
  const started = performance.now();
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return (count * 1000) / (performance.now() - started);
}

function inProcess(running: Host, count: number, width: number): Promise<number> {
  const { operations } = running.durable;
  if (operations === undefined) throw new Error("The host does not lead");
  return rate(count, width, async (number) => {
    const started = await operations.start({ name: "twoActivities", input: JSON.stringify({ number }) });
    if (started.kind !== "started") throw new Error(`Not started: ${started.kind}`);
    await running.waitFor(started.instanceId, finished);
  });
}

async function throughput(): Promise<void> {
  const count = quick ? 2_000 : 20_000;
  for (const [label, dataDir, hub] of [
    ["in memory", undefined, {}],
    ["on disk, written", folder(), { durability: "process" }],
    ["on disk, synced", folder(), { durability: "power" }],
  ] as const) {
    const running = await host(dataDir, hub);
    await inProcess(running, count / 10, 100);
    for (const width of [1, 100, 500]) {
      const total = width === 1 ? count / 20 : count;
      const perSecond = await inProcess(running, total, width);
      row(`started in process, ${label}, ${width} at a time`, `${perSecond.toFixed(0)}/s`);
    }
    await running.stop();
  }
}

async function overHttp(): Promise<void> {
  const running = await host(folder());
  const count = quick ? 500 : 5_000;
  const perSecond = await rate(count, 32, async (number) => {
    const response = await fetch(`${running.url}/api/start`, {
      method: "POST",
      body: JSON.stringify({ number }),
    });
    const { id } = (await response.json()) as { id: string };
    await running.waitFor(id, finished);
  });
  row("started over HTTP by a durable client, synced, 32 at a time", `${perSecond.toFixed(0)}/s`);
  await running.stop();
}

async function replayCost(): Promise<void> {
  const running = await host(undefined);
  const { operations } = running.durable;
  if (operations === undefined) throw new Error("The host does not lead");
  await operations.start({ name: "counts", instanceId: "counts", input: "{}" });
  let length = 0;
  for (const target of quick ? [200, 1_000] : [200, 1_000, 4_000]) {
    while (length < target) {
      await operations.raiseEvent("counts", "tick", "1");
      await running.idle();
      length = operations.orchestration("counts")?.history.length ?? 0;
    }
    const rounds = 20;
    const started = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      await operations.raiseEvent("counts", "tick", "1");
      await running.idle();
    }
    row(
      `one episode at ${length} events of history`,
      `${((performance.now() - started) / rounds).toFixed(2)} ms`,
    );
  }
  await running.stop();
}

async function recovery(): Promise<void> {
  const dataDir = folder();
  let size = 0;
  for (const target of quick ? [1_000, 5_000] : [1_000, 10_000, 100_000]) {
    const filling = await host(dataDir, { durability: "process" });
    await inProcess(filling, target - size, 500);
    size = target;
    const { heapUsed, rss } = process.memoryUsage();
    await filling.stop();
    const { ready, memory } = await startTime(dataDir);
    row(
      `start on ${size} finished instances`,
      `${ready.toFixed(0)} ms to ready, ${memory.toFixed(0)} MB resident ` +
        `(${(heapUsed / 2 ** 20).toFixed(0)} MB heap, ${(rss / 2 ** 20).toFixed(0)} MB resident while filling)`,
    );
  }
}

/** As a user starts it: a process of its own, timed from its launch to the line that says it is ready. */
async function startTime(dataDir: string): Promise<{ ready: number; memory: number }> {
  const script = join(import.meta.dirname, "../local/host/main.js");
  const launched = performance.now();
  const child = spawn(
    process.execPath,
    [script, "start", "--port", "0", "--script-root", scriptRoot, "--data", dataDir, "--json"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes("Host is ready")) break;
  }
  const ready = performance.now() - launched;
  const url = /http:\/\/[\d.:]+/.exec(text)?.[0] ?? "";
  const status = (await (await fetch(`${url}/admin/host/status`)).json()) as { residentBytes: number };
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  return { ready, memory: status.residentBytes / 2 ** 20 };
}

function row(what: string, figure: string): void {
  console.log(`${what.padEnd(62)} ${figure}`);
}

const parts = { throughput, http: overHttp, replay: replayCost, recovery };
const wanted = Object.entries(parts).filter(([name]) => process.argv.includes(name));

try {
  for (const [, part] of wanted) await part();
} finally {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
}
if (wanted.length === 0) {
  // A process for each, so that one part's memory is not counted in another's.
  for (const name of Object.keys(parts)) {
    const script = join(import.meta.dirname, "durable.js");
    spawnSync(process.execPath, [script, ...process.argv.slice(2), name], { stdio: "inherit" });
  }
}
