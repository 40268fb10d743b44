import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type ServiceBusReceiver, ServiceBusClient } from "@azure/service-bus";

import { readConfig } from "../../../local/service-bus/config/read-config.ts";
import { startServiceBus } from "../../../local/service-bus/server.ts";
import { provision } from "../../../local/stack/provision.ts";
import { type FaultProxy, startFaultProxy } from "../../../local/storage/fault-proxy/proxy.ts";
import { startStorage } from "../../../local/storage/server.ts";
import { eventsTopic, routerSubscription } from "../../../shared/entities.ts";
import type { Log } from "../../../shared/logging/log.ts";
import { createPlatform, type Platform } from "../../../shared/platform/platform.ts";
import { type Services, servicesOn } from "../../../shared/services.ts";

/** The platform without a host: storage behind a proxy that breaks things, a bus, and the services of one process. */
export interface PlatformUnderTest {
  readonly proxy: FaultProxy;
  readonly platform: Platform;
  readonly services: Services;
  /** The ids of the events published since the last time, once there are so many. */
  readonly published: (count: number) => Promise<string[]>;
  /** The same for those that are there by now. */
  readonly publishedSoFar: () => Promise<string[]>;
  readonly stop: () => Promise<void>;
}

const root = join(import.meta.dirname, "../../..");

export async function startPlatform(): Promise<PlatformUnderTest> {
  const config = readConfig(readFileSync(join(root, "infra/service-bus.json"), "utf8"));
  const [storage, bus] = await Promise.all([
    startStorage(),
    startServiceBus({ port: 0, adminPort: 0, config }),
  ]);
  const proxy = await startFaultProxy({ upstream: storage });
  const settings = {
    AzureWebJobsStorage: proxy.connectionString,
    ServiceBusConnection: bus.connectionString,
    OUTBOUND_ALLOW: "127.0.0.0/8",
    ENVIRONMENT_NAME: "test",
    LEASE_SECONDS: "30",
  };
  const platform = createPlatform(settings);
  const dataDir = mkdtempSync(join(tmpdir(), "interlock-platform-"));
  await provision(platform, root, dataDir);
  const services = await servicesOn(platform);
  const client = new ServiceBusClient(bus.connectionString);
  const receiver = client.createReceiver(eventsTopic, routerSubscription, {
    receiveMode: "receiveAndDelete",
  });
  return {
    proxy,
    platform,
    services,
    published: async (count) => {
      const ids: string[] = [];
      while (ids.length < count) ids.push(...(await receive(receiver, count - ids.length, 20_000)));
      return ids;
    },
    publishedSoFar: () => receive(receiver, 1000, 100),
    stop: async () => {
      await Promise.all(Object.values(services.senders).map((sender) => sender.close()));
      await client.close();
      await Promise.all([bus.stop(), proxy.stop().then(() => storage.stop())]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function receive(
  receiver: ServiceBusReceiver,
  count: number,
  maxWaitTimeInMs: number,
): Promise<string[]> {
  const messages = await receiver.receiveMessages(count, { maxWaitTimeInMs });
  return messages.map(({ messageId }) => String(messageId));
}

/** Names of what is logged. */
export function keptLog(): Log & { readonly events: string[] } {
  const events: string[] = [];
  return { events, event: (name) => void events.push(name) };
}
