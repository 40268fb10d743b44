import { setTimeout as delay } from "node:timers/promises";

import type { ServiceBusClient, ServiceBusReceivedMessage, ServiceBusReceiver } from "@azure/service-bus";

import type { HostSettings } from "../config/host-json.ts";
import { ended, openClient } from "./connection.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { sourceOf } from "./entity.ts";
import type { ReceiverHealth } from "./receiver-health.ts";

/** Everything one function's receivers work with. */
export interface Receiving {
  readonly connectionString: string;
  readonly source: ReturnType<typeof sourceOf>;
  readonly limits: HostSettings["serviceBus"];
  readonly dispatcher: Dispatcher;
  readonly health: ReceiverHealth;
  readonly signal: AbortSignal;
}

/** The host reads bodies and renews locks itself. */
export const receiverOptions = { skipParsingBodyAsJson: true, maxAutoLockRenewalDurationInMs: 0 };

/** How long one call waits for messages: short enough for a prompt stop, which lets it end by itself. */
const waitMs = 1000;
/** What else is there already is worth this long a look once a first message has come. */
const lookMs = 20;
const pauseAfterErrorMs = 500;

/**
 * Receives until the host stops. `round` works with a connection until it fails; then the next one has a new
 * connection, because links that share one do not all find their way back when it breaks. What was received on
 * the old one is settled there before it is closed.
 */
export async function keepReceiving(
  { connectionString, dispatcher, health, signal }: Receiving,
  round: (client: ServiceBusClient) => Promise<void>,
): Promise<void> {
  const closing = new Set<Promise<void>>();
  while (!signal.aborted) {
    const client = openClient(connectionString);
    try {
      await round(client);
    } catch (error) {
      if (!signal.aborted) health.failed(error);
    }
    const closed = dispatcher
      .settled()
      .then(() => ended(client.close()))
      .finally(() => closing.delete(closed));
    closing.add(closed);
    if (!signal.aborted) await delay(pauseAfterErrorMs, undefined, { signal }).catch(() => {});
  }
  await Promise.all(closing);
}

export function openReceiver({ source }: Receiving, client: ServiceBusClient): ServiceBusReceiver {
  return source.kind === "queue"
    ? client.createReceiver(source.queue, receiverOptions)
    : client.createReceiver(source.topic, source.subscription, receiverOptions);
}

/**
 * The library waits a second for more once it has a message; asking for one, and then for what else is
 * there, does not.
 */
export async function receiveSome(
  receiver: ServiceBusReceiver,
  most: number,
  maxWaitTimeInMs = waitMs,
): Promise<ServiceBusReceivedMessage[]> {
  const first = await receiver.receiveMessages(1, { maxWaitTimeInMs: Math.min(maxWaitTimeInMs, waitMs) });
  if (first.length === 0 || most === 1) return first;
  // What has been received must not be lost because the next call fails.
  const more = await receiver.receiveMessages(most - 1, { maxWaitTimeInMs: lookMs }).catch(() => []);
  return [...first, ...more];
}

/** Resolves with undefined when the host stops first. */
export function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
