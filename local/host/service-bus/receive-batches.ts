import { keepReceiving, openReceiver, receiveSome, type Receiving } from "./receiving.ts";

/** Batches of what is there, up to `maxMessageBatchSize`, one after the other. */
export async function receiveBatches(receiving: Receiving): Promise<void> {
  const { limits, dispatcher, health, signal } = receiving;
  await keepReceiving(receiving, async (client) => {
    const receiver = openReceiver(receiving, client);
    const dispatch = dispatcher.forReceiver(receiver, "message");
    while (!signal.aborted) {
      const messages = await receiveSome(receiver, limits.maxMessageBatchSize);
      health.works();
      if (messages.length > 0) await dispatch(messages);
    }
  });
}
