import { setTimeout as delay } from "node:timers/promises";

import { ServiceBusClient } from "@azure/service-bus";

import type { Settings } from "../config/settings.ts";
import { StartError } from "../../start-error.ts";
import type { Binding } from "../worker/app-registry.ts";

/** A server on this machine answers at once or is down: waiting as long as for Azure helps nobody. */
const retryOptions = { timeoutInMs: 5000, retryDelayInMs: 500, maxRetries: 5 };

/** The connection string that a binding's `connection` names. */
export function connectionStringOf(functionName: string, binding: Binding, settings: Settings): string {
  const { connection } = binding;
  const name = typeof connection === "string" && connection !== "" ? connection : "ServiceBus";
  const value = settings[name] ?? settings[`AzureWebJobs${name}`];
  if (value !== undefined && value !== "") return value;
  const identity = [name, `AzureWebJobs${name}`].some((each) => settings[`${each}__fullyQualifiedNamespace`]);
  throw new StartError(
    identity
      ? `Function '${functionName}': ${name} names a namespace to reach by identity, which works in Azure; this host needs a connection string in ${name}, for the local server`
      : `Function '${functionName}': setting ${name} is missing: put a Service Bus connection string there`,
  );
}

/** A client and, with its first use, an AMQP connection of its own. */
export function openClient(connectionString: string): ServiceBusClient {
  return new ServiceBusClient(connectionString, { retryOptions });
}

/** Waits for the end of something, but not for ever: what hangs on a lost connection may never hear of it. */
export async function ended(work: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  await Promise.race([
    work.catch(() => {}),
    delay(retryOptions.timeoutInMs, undefined, { signal: patience.signal }).catch(() => {}),
  ]);
  patience.abort();
}
