import type { ServiceBusMessage, ServiceBusSender } from "@azure/service-bus";

import type { HostContext } from "../host-context.ts";
import type { Binding } from "../worker/app-registry.ts";
import type { TypedData } from "../worker/typed-data.ts";
import { ClientPool, connectionStringOf } from "./connection.ts";
import { destinationOf } from "./entity.ts";

export interface ServiceBusOutputs {
  /** Resolves when the server has taken every message; a failure is that of the invocation. */
  send(binding: Binding, data: TypedData): Promise<void>;
  close(): Promise<void>;
}

/** Sends what functions put into their Service Bus outputs; bindings are checked before anything runs. */
export function createServiceBusOutputs(context: HostContext): ServiceBusOutputs {
  const clients = new ClientPool();
  const senders = new Map<string, ServiceBusSender>();
  for (const { name, outputs } of context.functions.filter((fn) => !fn.disabled)) {
    for (const { binding } of outputs.filter((output) => output.binding.type === "serviceBus")) {
      destinationOf(name, binding);
      connectionStringOf(name, binding, context.settings);
    }
  }
  const senderFor = (binding: Binding): ServiceBusSender => {
    const connectionString = connectionStringOf(binding.name, binding, context.settings);
    const destination = destinationOf(binding.name, binding);
    const key = `${connectionString}\n${destination}`;
    const sender = senders.get(key) ?? clients.get(connectionString).createSender(destination);
    senders.set(key, sender);
    return sender;
  };
  return {
    async send(binding, data) {
      await sendAll(senderFor(binding), messagesOf(data));
    },
    async close() {
      senders.clear();
      await clients.close();
    },
  };
}

/** An array, or a text that is the JSON of one, becomes a message for each element. */
export function messagesOf({ json, string, bytes, int, double }: TypedData): ServiceBusMessage[] {
  if (bytes !== undefined) return [{ body: Buffer.from(bytes), contentType: "application/octet-stream" }];
  const text = json ?? string ?? (int ?? double)?.toString();
  if (text === undefined) return [];
  const elements = elementsOf(text);
  return elements === undefined ? [textMessage(text)] : elements.map(textMessage);
}

function elementsOf(text: string): string[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return undefined;
    return value
      .filter((element) => element !== null)
      .map((element) => (typeof element === "string" ? element : JSON.stringify(element)));
  } catch {
    return undefined;
  }
}

/** As bytes, because the library would put quotes around a string. */
function textMessage(text: string): ServiceBusMessage {
  return { body: Buffer.from(text), contentType: "text/plain" };
}

/** In as few transfers as the server's size limit allows. */
async function sendAll(sender: ServiceBusSender, messages: readonly ServiceBusMessage[]): Promise<void> {
  let batch = await sender.createMessageBatch();
  for (const message of messages) {
    if (batch.tryAddMessage(message)) continue;
    if (batch.count > 0) await sender.sendMessages(batch);
    batch = await sender.createMessageBatch();
    if (!batch.tryAddMessage(message)) await sender.sendMessages(message);
  }
  if (batch.count > 0) await sender.sendMessages(batch);
}
