import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ServiceBusClient } from "@azure/service-bus";
import { expect, test } from "vitest";

import { readConfig } from "../../local/service-bus/config/read-config.ts";
import { startServiceBus } from "../../local/service-bus/server.ts";
import { startProcess } from "../support/process-under-test.ts";

const root = join(import.meta.dirname, "../..");
const count = 600;
const kills = 3;

const config = readConfig(
  JSON.stringify({
    UserConfig: {
      Namespaces: [
        {
          Name: "crash",
          Queues: [{ Name: "jobs", Properties: { LockDuration: "PT2S", MaxDeliveryCount: 20 } }],
          Topics: [],
        },
      ],
    },
  }),
);

test("a host that is killed three times under load does every message that was acknowledged", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "interlock-crash-"));
  const bus = await startServiceBus({ port: 0, adminPort: 0, config });
  const client = new ServiceBusClient(bus.connectionString);
  const host = startProcess(
    process.execPath,
    [
      join(root, "dist/local/host/main.js"),
      "start",
      "--port=0",
      `--script-root=${join(root, "test/fixtures/apps/crash")}`,
      `--data=${dataDir}`,
    ],
    { env: { ...process.env, Bus: bus.connectionString } },
  );
  const done = (): string[] => [...host.output().matchAll(/^did (\d+)$/gm)].map(([, number = ""]) => number);
  const readyTimes = (times: number) =>
    host.until((output) => [...output.matchAll(/ready on (http\S+)/g)].map(([, url = ""]) => url)[times - 1]);

  const url = await readyTimes(1);
  const sender = client.createSender("jobs");
  let acknowledged = 0;
  const sending = (async () => {
    for (let number = 0; number < count; number += 10) {
      const batch = Array.from({ length: 10 }, (_, index) => ({ body: { number: number + index } }));
      await sender.sendMessages(batch);
      acknowledged += batch.length;
    }
  })();
  for (let kill = 1; kill <= kills; kill += 1) {
    await host.until(() => (new Set(done()).size > (count / 5) * kill ? true : undefined));
    const { id } = (await (await fetch(`${url}/admin/host/status`)).json()) as { id: string };
    process.kill(Number(id.split("-")[1]), "SIGKILL");
    await readyTimes(kill + 1);
  }
  await sending;
  const all = await host.until(() => (new Set(done()).size === acknowledged ? done() : undefined));
  console.log(`acknowledged ${acknowledged}, lost 0, done more than once ${all.length - acknowledged}`);
  expect(new Set(all).size).toBe(count);

  host.child.kill("SIGTERM");
  expect(await host.ended()).toBe(0);
  await client.close();
  await bus.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
