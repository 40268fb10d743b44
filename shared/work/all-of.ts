/** One of a batch of messages, and what the bus knows of it. */
export interface BatchMessage {
  readonly message: unknown;
  readonly messageId: string;
  /** 1 when it comes for the first time. */
  readonly deliveryCount: number;
}

interface Handling {
  readonly handle: (message: unknown) => Promise<void>;
  /** Records a message that cannot be done, in the bus's place. */
  readonly giveUp: (message: BatchMessage, error: Error) => Promise<void>;
}

/** The bus gives up on a message after 10 deliveries (infra/service-bus.json). */
const mostDeliveries = 8;

/**
 * Does the same with each message of a batch, all at once. A batch is settled as one, so that one that cannot be done
 * brings the others back too; they must not mind being done again. But they must not perish with it: a message that has
 * failed often enough is given up here, before the bus gives up on all that came along.
 */
export async function allOf(
  messages: unknown,
  metadata: Readonly<Record<string, unknown>> | undefined,
  { handle, giveUp }: Handling,
): Promise<void> {
  const results = await Promise.allSettled(
    batchOf(messages, metadata).map(async (each) => {
      try {
        await handle(each.message);
      } catch (error) {
        if (each.deliveryCount < mostDeliveries) throw error;
        await giveUp(each, toError(error));
      }
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw toError(failed.reason);
}

function batchOf(messages: unknown, metadata: Readonly<Record<string, unknown>> = {}): BatchMessage[] {
  const batch: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  const counts = listed(metadata["deliveryCountArray"], batch.length);
  const ids = listed(metadata["messageIdArray"], batch.length);
  return batch.map((message, index) => {
    const messageId = ids[index];
    return {
      message,
      messageId: typeof messageId === "string" ? messageId : "",
      deliveryCount: Number(counts[index] ?? 1),
    };
  });
}

/** Lists that are not as long as the batch do not say which message they speak of: empty messages are left out of it. */
function listed(value: unknown, length: number): readonly unknown[] {
  return Array.isArray(value) && value.length === length ? value : [];
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
