import { setTimeout as delay } from "node:timers/promises";

import type {
  MessageHandlers,
  ServiceBusClient,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusSessionReceiver,
} from "@azure/service-bus";

import type { HostSettings } from "../config/host-json.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { sourceOf } from "./entity.ts";
import { codesOf, type ReceiverHealth } from "./receiver-health.ts";

/** Everything one function's receiver works with. */
export interface Receiving {
  readonly client: ServiceBusClient;
  readonly source: ReturnType<typeof sourceOf>;
  readonly limits: HostSettings["serviceBus"];
  readonly dispatcher: Dispatcher;
  readonly health: ReceiverHealth;
  readonly signal: AbortSignal;
}

/** How long one call waits for messages: short enough for a prompt stop, which lets it end by itself. */
const waitMs = 1000;
/** What else is there already is worth this long a look once a first message has come. */
const lookMs = 20;
const pauseAfterErrorMs = 1000;

/** The host reads bodies and renews locks itself. */
const options = { skipParsingBodyAsJson: true, maxAutoLockRenewalDurationInMs: 0 };

/** Single messages, up to `maxConcurrentCalls` at once. */
export async function receiveOneByOne(receiving: Receiving): Promise<void> {
  const { limits, dispatcher, health, signal } = receiving;
  const receiver = open(receiving);
  const dispatch = dispatcher.forReceiver(receiver, "message");
  const handlers: MessageHandlers & { postInitialize(): Promise<void> } = {
    async processMessage(message) {
      health.works();
      await dispatch([message]);
    },
    processError({ error }) {
      health.failed(error);
      return Promise.resolve();
    },
    // The library calls it whenever the link is up, the first time as well as after an outage.
    postInitialize() {
      health.works();
      return Promise.resolve();
    },
  };
  const subscription = receiver.subscribe(handlers, {
    autoCompleteMessages: false,
    maxConcurrentCalls: limits.maxConcurrentCalls,
  });
  await aborted(signal);
  await subscription.close();
  await dispatcher.idle();
  await receiver.close();
}

/** Batches, one after the other. */
export async function receiveBatches(receiving: Receiving): Promise<void> {
  const { limits, dispatcher, signal } = receiving;
  const receiver = open(receiving);
  const dispatch = dispatcher.forReceiver(receiver, "message");
  while (!signal.aborted) {
    await attempt(receiving, async () => {
      const messages = await receiveSome(receiver, limits.maxMessageBatchSize);
      if (messages.length > 0) await dispatch(messages);
    });
  }
  await receiver.close();
}

/** Sessions, `maxConcurrentSessions` at a time, each in order. */
export async function receiveSessions(receiving: Receiving, batches: boolean): Promise<void> {
  const loops = Array.from({ length: receiving.limits.maxConcurrentSessions }, async () => {
    while (!receiving.signal.aborted) await attempt(receiving, () => receiveSession(receiving, batches));
  });
  await Promise.all(loops);
}

/** Stays with a session until it has been empty for the idle timeout. */
async function receiveSession(receiving: Receiving, batches: boolean): Promise<void> {
  const { limits, dispatcher, health, signal } = receiving;
  const receiver = await acceptSession(receiving);
  if (receiver === undefined) return;
  health.works();
  const dispatch = dispatcher.forReceiver(receiver, "session");
  try {
    let lastMessageAt = performance.now();
    while (!signal.aborted && performance.now() - lastMessageAt < limits.sessionIdleTimeoutMs) {
      const wait = Math.min(waitMs, limits.sessionIdleTimeoutMs);
      const messages = await receiveSome(receiver, batches ? limits.maxMessageBatchSize : 1, wait);
      if (messages.length === 0) continue;
      await dispatch(messages);
      lastMessageAt = performance.now();
    }
  } catch (error) {
    // The session has gone to another receiver, or will: not a fault of the queue's.
    if (!codesOf(error).includes("SessionLockLost")) throw error;
  } finally {
    await receiver.close();
  }
}

/** Undefined when no session has messages at the moment. */
async function acceptSession(receiving: Receiving): Promise<ServiceBusSessionReceiver | undefined> {
  const { client, source, limits, signal } = receiving;
  const asked = { ...options, maxAutoLockRenewalDurationInMs: limits.maxAutoLockRenewalDurationMs };
  const accepting =
    source.kind === "queue"
      ? client.acceptNextSession(source.queue, asked)
      : client.acceptNextSession(source.topic, source.subscription, asked);
  try {
    return await unlessStopped(accepting, signal);
  } catch (error) {
    const codes = codesOf(error);
    if (codes.includes("ServiceTimeout") || codes.includes("SessionCannotBeLocked")) return undefined;
    throw error;
  }
}

/** The library cannot be told to stop waiting for a session; whatever it still gets goes with its connection. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/**
 * The library waits a second for more once it has a message; asking for one, and then for what else is
 * there, does not.
 */
async function receiveSome(
  receiver: ServiceBusReceiver,
  most: number,
  maxWaitTimeInMs = waitMs,
): Promise<ServiceBusReceivedMessage[]> {
  const first = await receiver.receiveMessages(1, { maxWaitTimeInMs });
  if (first.length === 0 || most === 1) return first;
  // What has been received must not be lost because the next call fails.
  const more = await receiver.receiveMessages(most - 1, { maxWaitTimeInMs: lookMs }).catch(() => []);
  return [...first, ...more];
}

/** One round of a receive loop; an error is reported and followed by a pause that a stop cuts short. */
async function attempt({ health, signal }: Receiving, round: () => Promise<void>): Promise<void> {
  try {
    await round();
    health.works();
  } catch (error) {
    if (signal.aborted) return;
    health.failed(error);
    await delay(pauseAfterErrorMs, undefined, { signal }).catch(() => {});
  }
}

function open({ client, source }: Receiving): ServiceBusReceiver {
  return source.kind === "queue"
    ? client.createReceiver(source.queue, options)
    : client.createReceiver(source.topic, source.subscription, options);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
