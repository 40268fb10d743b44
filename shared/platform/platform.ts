import type { SecretClient } from "@azure/keyvault-secrets";
import type { ServiceBusClient } from "@azure/service-bus";
import type { TableClient } from "@azure/data-tables";
import type { ContainerClient } from "@azure/storage-blob";

import type { SettingValues } from "../settings.ts";
import { createBus } from "./bus.ts";
import { createSecrets } from "./secrets.ts";
import { createStorage } from "./storage.ts";

/** The services the platform runs on. Clients are made when first asked for and outlive the invocation. */
export interface Platform {
  readonly settings: SettingValues;
  table(name: string): Promise<TableClient>;
  container(name: string): Promise<ContainerClient>;
  /** A client of the caller's own, who closes it: of several links on one connection not all come back when it breaks. */
  openBus(): Promise<ServiceBusClient>;
  secrets(): Promise<SecretClient>;
}

export function createPlatform(settings: SettingValues): Platform {
  const storage = createStorage(settings);
  return {
    settings,
    table: (name) => storage.table(name),
    container: (name) => storage.container(name),
    openBus: () => createBus(settings),
    secrets: once(() => createSecrets(settings)),
  };
}

let shared: Platform | undefined;

/** The composition root: the only place that reads the environment. */
export function platform(): Platform {
  shared ??= createPlatform(process.env);
  return shared;
}

/** A failed attempt is not remembered: what was wrong may have been mended. */
function once<T>(create: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= create().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
