import type { TableClient } from "@azure/data-tables";
import type { ContainerClient } from "@azure/storage-blob";

import { Fault } from "../faults.ts";
import type { SettingValues } from "../settings.ts";
import { isLoopbackHttp, managedIdentity } from "./credential.ts";

interface Storage {
  table(name: string): Promise<TableClient>;
  container(name: string): Promise<ContainerClient>;
}

export function createStorage(settings: SettingValues): Storage {
  const tables = new Map<string, Promise<TableClient>>();
  const containers = new Map<string, Promise<ContainerClient>>();
  return {
    table: (name) => kept(tables, name, () => tableClient(settings, name)),
    container: (name) => kept(containers, name, () => containerClient(settings, name)),
  };
}

/** Somebody's webhook may be waiting: the SDK's second between tries, doubled each time, is too long for it. */
const retryOptions = { maxRetries: 3, retryDelayInMs: 100, maxRetryDelayInMs: 2000 };

async function tableClient(settings: SettingValues, name: string): Promise<TableClient> {
  const { TableClient: Client } = await import("@azure/data-tables");
  const connection = settings.AzureWebJobsStorage;
  if (connection !== undefined) {
    const endpoint = /TableEndpoint=([^;]+)/i.exec(connection)?.[1] ?? "";
    return Client.fromConnectionString(connection, name, {
      allowInsecureConnection: isLoopbackHttp(endpoint),
      retryOptions,
    });
  }
  const url = settings.AzureWebJobsStorage__tableServiceUri;
  if (url === undefined) throw missing("AzureWebJobsStorage__tableServiceUri");
  return new Client(url, name, await managedIdentity(settings), { retryOptions });
}

async function containerClient(settings: SettingValues, name: string): Promise<ContainerClient> {
  const { ContainerClient: Client } = await import("@azure/storage-blob");
  const connection = settings.AzureWebJobsStorage;
  if (connection !== undefined) return new Client(connection, name);
  const url = settings.AzureWebJobsStorage__blobServiceUri;
  if (url === undefined) throw missing("AzureWebJobsStorage__blobServiceUri");
  return new Client(`${url.replace(/\/$/, "")}/${name}`, await managedIdentity(settings));
}

function kept<T>(made: Map<string, Promise<T>>, name: string, create: () => Promise<T>): Promise<T> {
  const found = made.get(name);
  if (found !== undefined) return found;
  const creating = create().catch((error: unknown) => {
    made.delete(name);
    throw error;
  });
  made.set(name, creating);
  return creating;
}

function missing(setting: string): Fault {
  return new Fault("settings-incomplete", `Neither AzureWebJobsStorage nor ${setting} is set.`);
}
