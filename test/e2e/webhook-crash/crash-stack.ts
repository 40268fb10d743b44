import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { startKeyVault } from "../../../local/key-vault/server.ts";
import { provision } from "../../../local/stack/provision.ts";
import { startStorage } from "../../../local/storage/server.ts";
import { createPlatform } from "../../../shared/platform/platform.ts";
import { type ProcessUnderTest, startProcess } from "../../support/process-under-test.ts";
import { type Scenario, scenarioOn } from "../../support/scenario.ts";
import { startSink } from "../../support/sink.ts";
import type { TestStack } from "../../support/test-stack.ts";

const root = join(import.meta.dirname, "../../..");

/** The platform with host and bus as processes of their own, which can be killed and frozen; the rest lives on. */
export interface CrashStack extends Scenario {
  /** SIGKILL, then `meanwhile`; resolves when another host has taken its place. */
  readonly killHost: (meanwhile?: () => Promise<void>) => Promise<void>;
  readonly freezeBus: () => void;
  /** SIGKILL; another bus takes its place, with what the first had acknowledged. */
  readonly killBus: () => Promise<void>;
  /** Runs the sweeper and the drain now instead of at their next turn. */
  readonly sweep: () => Promise<void>;
}

export async function startCrashStack(): Promise<CrashStack> {
  const dataDir = mkdtempSync(join(tmpdir(), "interlock-webhook-crash-"));
  const [storage, vault, sink] = await Promise.all([
    startStorage(),
    startKeyVault({ port: 0 }),
    startSink({ idempotencyHeader: "idempotency-key" }),
  ]);
  const first = await startBus(dataDir, 0);
  const { port, connectionString } = first;
  let { bus } = first;
  const settings = {
    AzureWebJobsStorage: storage.connectionString,
    ServiceBusConnection: connectionString,
    KEY_VAULT_URL: vault.url,
    OUTBOUND_ALLOW: "127.0.0.0/8",
    ENVIRONMENT_NAME: "test",
    LEASE_SECONDS: "2",
  };
  const platform = createPlatform(settings);
  const { apiKey } = await provision(platform, root, dataDir);
  const host = startProcess(
    process.execPath,
    [
      join(root, "dist/local/host/main.js"),
      "start",
      "--port=0",
      `--script-root=${root}`,
      `--data=${join(dataDir, "host")}`,
    ],
    { env: { ...process.env, ...settings } },
  );
  onTestFinished(async () => {
    for (const { child } of [host, bus]) child.kill("SIGCONT");
    for (const each of [host, bus]) await ended(each);
    await Promise.all([storage.stop(), vault.stop(), sink.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  });
  const readyTimes = (times: number): Promise<string> =>
    host.until((output) => [...output.matchAll(/ready on (http\S+)/g)].map(([, url = ""]) => url)[times - 1]);
  const url = await readyTimes(1);
  let starts = 1;
  // Of the stack a scenario needs no more than this; the host is not one it could speak to directly.
  const stack = { host: { url }, platform, apiKey, settings } as unknown as TestStack;
  return {
    ...scenarioOn(stack, sink),
    killHost: async (meanwhile = () => Promise.resolve()) => {
      const { id } = (await (await fetch(`${url}/admin/host/status`)).json()) as { id: string };
      process.kill(Number(id.split("-")[1]), "SIGKILL");
      await meanwhile();
      await readyTimes(++starts);
    },
    freezeBus: () => void bus.child.kill("SIGSTOP"),
    killBus: async () => {
      bus.child.kill("SIGKILL");
      await bus.ended();
      ({ bus } = await startBus(dataDir, port));
    },
    sweep: async () => {
      for (const name of ["sweep-inbox", "drain-backlog"])
        await fetch(`${url}/admin/functions/${name}`, { method: "POST", body: "{}" });
    },
  };
}

interface StartedBus {
  readonly bus: ProcessUnderTest;
  readonly port: number;
  readonly connectionString: string;
}

/** Locks of two seconds: what a killed host was at comes again soon. */
async function startBus(dataDir: string, wanted: number): Promise<StartedBus> {
  const config = readFileSync(join(root, "infra/service-bus.json"), "utf8")
    .replaceAll('"LockDuration": "PT1M"', '"LockDuration": "PT2S"')
    .replaceAll('"MaxDeliveryCount": 10', '"MaxDeliveryCount": 50');
  const file = join(dataDir, "service-bus.json");
  writeFileSync(file, config);
  const script = join(root, "dist/local/service-bus/main.js");
  const flags = [`--config=${file}`, `--port=${wanted}`, "--admin-port=0", `--data=${join(dataDir, "bus")}`];
  const bus = startProcess(process.execPath, [script, ...flags]);
  const [, address, port] = await bus.saw(/AMQP on (\S+:(\d+)),/);
  const key = "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE";
  const connectionString = `Endpoint=sb://${address};${key};UseDevelopmentEmulator=true;`;
  return { bus, port: Number(port), connectionString };
}

async function ended(started: ProcessUnderTest): Promise<void> {
  started.child.kill("SIGTERM");
  const giveUp = setTimeout(() => started.child.kill("SIGKILL"), 5000);
  await started.ended();
  clearTimeout(giveUp);
}
