import type { MessageHandlers, ServiceBusClient } from "@azure/service-bus";

import { ended } from "./connection.ts";
import { keepReceiving, openReceiver, type Receiving, unlessStopped } from "./receiving.ts";

/** Single messages, up to `maxConcurrentCalls` at once. */
export async function receiveOneByOne(receiving: Receiving): Promise<void> {
  await keepReceiving(receiving, (client) => subscribe(receiving, client));
}

async function subscribe(receiving: Receiving, client: ServiceBusClient): Promise<void> {
  const { limits, dispatcher, health, signal } = receiving;
  const receiver = openReceiver(receiving, client);
  const dispatch = dispatcher.forReceiver(receiver, "message");
  let fail = (_error: Error): void => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const handlers: MessageHandlers & { postInitialize(): Promise<void> } = {
    async processMessage(message) {
      health.works();
      await dispatch([message]);
    },
    processError({ error }) {
      fail(error);
      return Promise.resolve();
    },
    // The library calls it whenever the link is up.
    postInitialize() {
      health.works();
      return Promise.resolve();
    },
  };
  const subscription = receiver.subscribe(handlers, {
    autoCompleteMessages: false,
    maxConcurrentCalls: limits.maxConcurrentCalls,
  });
  const closed = (): Promise<void> => ended(subscription.close());
  try {
    await unlessStopped(failure, signal);
  } catch (error) {
    void closed();
    throw error;
  }
  // From here on nothing new comes in; what has come in is settled before the connection goes.
  await closed();
}
