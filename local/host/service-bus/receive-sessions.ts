import type { ServiceBusClient, ServiceBusSessionReceiver } from "@azure/service-bus";

import { codesOf } from "./receiver-health.ts";
import { keepReceiving, receiverOptions, receiveSome, type Receiving, unlessStopped } from "./receiving.ts";

/** Sessions, `maxConcurrentSessions` at a time, each in order: single messages, or batches of them. */
export async function receiveSessions(receiving: Receiving, batches: boolean): Promise<void> {
  const { limits, signal } = receiving;
  const loops = Array.from({ length: limits.maxConcurrentSessions }, () =>
    keepReceiving(receiving, async (client) => {
      while (!signal.aborted) await receiveSession(receiving, client, batches);
    }),
  );
  await Promise.all(loops);
}

/** Stays with a session until it has been empty for the idle timeout. */
async function receiveSession(
  receiving: Receiving,
  client: ServiceBusClient,
  batches: boolean,
): Promise<void> {
  const { limits, dispatcher, health, signal } = receiving;
  const begunAt = performance.now();
  const receiver = await acceptSession(receiving, client);
  health.works(begunAt);
  if (receiver === undefined) return;
  const dispatch = dispatcher.forReceiver(receiver, "session");
  const most = batches ? limits.maxMessageBatchSize : 1;
  try {
    let lastMessageAt = performance.now();
    while (!signal.aborted && performance.now() - lastMessageAt < limits.sessionIdleTimeoutMs) {
      const messages = await receiveSome(receiver, most, limits.sessionIdleTimeoutMs);
      if (messages.length === 0) continue;
      await dispatch(messages);
      lastMessageAt = performance.now();
    }
    await receiver.close();
  } catch (error) {
    // The session goes to another receiver: no fault of the queue's.
    if (!codesOf(error).includes("SessionLockLost")) throw error;
  }
}

/**
 * Undefined when no session has messages at the moment. The library cannot be told to stop waiting for one; what
 * it still gets goes with its connection.
 */
async function acceptSession(
  { source, limits, signal }: Receiving,
  client: ServiceBusClient,
): Promise<ServiceBusSessionReceiver | undefined> {
  const options = { ...receiverOptions, maxAutoLockRenewalDurationInMs: limits.maxAutoLockRenewalDurationMs };
  const accepting =
    source.kind === "queue"
      ? client.acceptNextSession(source.queue, options)
      : client.acceptNextSession(source.topic, source.subscription, options);
  try {
    return await unlessStopped(accepting, signal);
  } catch (error) {
    const codes = codesOf(error);
    if (codes.includes("ServiceTimeout") || codes.includes("SessionCannotBeLocked")) return undefined;
    throw error;
  }
}
