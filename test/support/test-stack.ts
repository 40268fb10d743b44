import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createHost, type Host, type HostOptions } from "../../local/host/host.ts";
import { startKeyVault } from "../../local/key-vault/server.ts";
import { readConfig } from "../../local/service-bus/config/read-config.ts";
import { startServiceBus } from "../../local/service-bus/server.ts";
import { provision } from "../../local/stack/provision.ts";
import { startStorage } from "../../local/storage/server.ts";
import { createPlatform, type Platform } from "../../shared/platform/platform.ts";

export interface TestStack {
  readonly host: Host;
  readonly platform: Platform;
  /** Of the demo tenant, role admin. */
  readonly apiKey: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Takes the bus away; the rest goes on. */
  stopBus(): Promise<void>;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "../..");

/** The platform as `npm start` runs it, in memory and with the host in this process. */
export async function startTestStack({
  settings: more,
  ...options
}: Partial<HostOptions> = {}): Promise<TestStack> {
  const dataDir = mkdtempSync(join(tmpdir(), "interlock-stack-"));
  const config = readConfig(readFileSync(join(root, "infra/service-bus.json"), "utf8"));
  const [storage, bus, vault] = await Promise.all([
    startStorage(),
    startServiceBus({ port: 0, adminPort: 0, config }),
    startKeyVault({ port: 0 }),
  ]);
  const settings = {
    AzureWebJobsStorage: storage.connectionString,
    ServiceBusConnection: bus.connectionString,
    KEY_VAULT_URL: vault.url,
    OUTBOUND_ALLOW: "127.0.0.0/8,::1/128",
    ENVIRONMENT_NAME: "test",
    ...more,
  };
  const platform = createPlatform(settings);
  const { apiKey } = await provision(platform, root, dataDir);
  const host = await createHost({ scriptRoot: root, port: 0, settings, ...options });
  let busStopped: Promise<void> | undefined;
  const stopBus = (): Promise<void> => (busStopped ??= bus.stop());
  return {
    host,
    platform,
    apiKey,
    settings,
    stopBus,
    async stop() {
      await host.stop();
      await Promise.all([storage.stop(), stopBus(), vault.stop()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
