import type { ServiceBusClient, ServiceBusMessage, ServiceBusSender } from "@azure/service-bus";

/**
 * Sends to one queue or topic. What arrives while a send is under way goes together with the next one, so that a
 * message costs the less the busier it gets.
 */
export interface BatchSender {
  /** Resolves when the bus has it. */
  readonly send: (message: OutgoingMessage) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OutgoingMessage {
  readonly messageId: string;
  readonly subject?: string;
  readonly correlationId: string;
  readonly body: unknown;
  readonly tenantId: string;
  /** Not before this moment. */
  readonly at?: Date;
}

interface Pending {
  readonly message: ServiceBusMessage;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The smallest limit of a message, and so of a batch, is 256 KB, properties included. */
const maxBatchBytes = 200 * 1024;
const maxBatchMessages = 500;
const propertyBytes = 600;
const batchesInFlight = 2;

/** A client of its own: of several links on one connection not all come back when it breaks. */
export function createBatchSender(openBus: () => Promise<ServiceBusClient>, entity: string): BatchSender {
  const queue: Pending[] = [];
  let link: Promise<{ client: ServiceBusClient; sender: ServiceBusSender }> | undefined;
  let inFlight = 0;

  async function open(): Promise<{ client: ServiceBusClient; sender: ServiceBusSender }> {
    const client = await openBus();
    return { client, sender: client.createSender(entity) };
  }

  async function sendNext(): Promise<void> {
    const batch = takeBatch(queue);
    const used = (link ??= open());
    try {
      await (await used).sender.sendMessages(batch.map(({ message }) => message));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (!isTooLarge(error)) {
        if (link === used) link = undefined;
        void used.then(({ client }) => client.close()).catch(() => {});
      }
      for (const { reject } of batch) reject(error);
    }
  }

  async function pump(): Promise<void> {
    if (inFlight >= batchesInFlight) return;
    inFlight++;
    while (queue.length > 0) await sendNext();
    inFlight--;
  }

  return {
    send: (outgoing) =>
      new Promise((resolve, reject) => {
        const message = toMessage(outgoing);
        queue.push({ ...message, resolve, reject });
        // One turn later, so that what arrives in this one goes along.
        setImmediate(() => void pump());
      }),
    async close() {
      const used = link;
      link = undefined;
      await (await used?.catch(() => undefined))?.client.close();
    },
  };
}

/** Then the message is to blame, and not the connection, on which another batch may be under way. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "MessageSizeExceeded";
}

function takeBatch(queue: Pending[]): Pending[] {
  let bytes = 0;
  let count = 0;
  for (const pending of queue) {
    bytes += pending.bytes;
    if (count === maxBatchMessages || (count > 0 && bytes > maxBatchBytes)) break;
    count++;
  }
  return queue.splice(0, count);
}

function toMessage(outgoing: OutgoingMessage): { message: ServiceBusMessage; bytes: number } {
  const body = Buffer.from(JSON.stringify(outgoing.body));
  const message: ServiceBusMessage = {
    messageId: outgoing.messageId,
    correlationId: outgoing.correlationId,
    contentType: "application/json",
    applicationProperties: { tenantId: outgoing.tenantId },
    body,
    ...(outgoing.subject === undefined ? {} : { subject: outgoing.subject }),
    ...(outgoing.at === undefined ? {} : { scheduledEnqueueTimeUtc: outgoing.at }),
  };
  return { message, bytes: body.byteLength + propertyBytes };
}
