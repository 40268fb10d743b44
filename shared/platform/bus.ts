import type { ServiceBusClient } from "@azure/service-bus";

import { Fault } from "../faults.ts";
import type { SettingValues } from "../settings.ts";
import { managedIdentity } from "./credential.ts";

/**
 * The SDK waits a minute for a lost answer and half a minute between retries by default: far too long for a
 * message that somebody's webhook waits for.
 */
const retryOptions = { timeoutInMs: 10_000, retryDelayInMs: 500, maxRetryDelayInMs: 5_000, maxRetries: 3 };

export async function createBus(settings: SettingValues): Promise<ServiceBusClient> {
  const { ServiceBusClient: Client } = await import("@azure/service-bus");
  const connection = settings.ServiceBusConnection;
  if (connection !== undefined) return new Client(connection, { retryOptions });
  const namespace = settings.ServiceBusConnection__fullyQualifiedNamespace;
  if (namespace === undefined) {
    const names = "ServiceBusConnection nor ServiceBusConnection__fullyQualifiedNamespace";
    throw new Fault("settings-incomplete", `Neither ${names} is set.`);
  }
  return new Client(namespace, await managedIdentity(settings), { retryOptions });
}
