import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { hostPartOf } from "../../local/stack/parts.ts";
import { type Stack, startStack } from "../../local/stack/stack.ts";

const root = join(import.meta.dirname, "../../..");

/** The services as `npm start` runs them, each in a process of its own, with their data in a folder that goes. */
export interface BenchServices extends Stack {
  readonly dataDir: string;
}

export interface HostOptions {
  /** App settings that differ from those of `npm start`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Functions that are not to run. */
  readonly without?: readonly string[];
  /** Where a profile of the process goes when it ends. */
  readonly profileDir?: string;
}

export interface BenchHost {
  readonly url: string;
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
}

export async function startServices(): Promise<BenchServices> {
  const dataDir = mkdtempSync(join(tmpdir(), "interlock-bench-"));
  const stack = await startStack({
    root,
    dataDir,
    port: 0,
    servicesPort: 0,
    hosts: 0,
    servicesOnly: true,
    json: false,
    events: {
      onOutput: () => {},
      onReady: () => {},
      onRestart: (name, why) => console.error(`${name} died: ${why}`),
      onProvisioned: () => {},
    },
  });
  return {
    ...stack,
    dataDir,
    async stop() {
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A host with the arguments `npm start` gives it. Its log is read and dropped, as by `npm start -- --quiet`. */
export async function startHost(services: BenchServices, options: HostOptions = {}): Promise<BenchHost> {
  const { dataDir, ports } = services;
  const { script, args, env, execArgv = [] } = hostPartOf({ root, dataDir, ports }, 0, "host", false);
  const { settings = {}, without = [], profileDir } = options;
  const disabled = Object.fromEntries(without.map((name) => [`AzureWebJobs.${name}.Disabled`, "true"]));
  const profile = profileDir === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileDir}`];
  const child = fork(script, args, {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...env, ...settings, ...disabled },
    execArgv: [...execArgv, ...profile],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4000);
    });
  }
  const ended = once(child, "exit");
  const [message] = (await Promise.race([once(child, "message"), ended])) as [{ port?: number } | null];
  if (typeof message?.port !== "number") throw new Error(`The host did not start: ${said}`);
  const url = `http://127.0.0.1:${message.port}`;
  await untilReady(url);
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const response = await fetch(`${url}/api/health/ready`).catch(() => undefined);
    if (response?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The host at ${url} did not become ready`);
}
