import type { ServiceBusClient, ServiceBusMessage, ServiceBusSender } from "@azure/service-bus";

import type { HostContext } from "../host-context.ts";
import type { Binding } from "../worker/app-registry.ts";
import type { TypedData } from "../worker/typed-data.ts";
import { connectionStringOf, ended, openClient } from "./connection.ts";
import { destinationOf } from "./entity.ts";

export interface ServiceBusOutputs {
  /** Resolves when the server has taken every message; a failure is that of the invocation. */
  send(binding: Binding, data: TypedData): Promise<void>;
  close(): Promise<void>;
}

/** Sends what functions put into their Service Bus outputs; bindings are checked before anything runs. */
export function createServiceBusOutputs({ functions, settings }: HostContext): ServiceBusOutputs {
  const channels = new Map<string, Channel>();
  for (const { name, outputs } of functions.filter((fn) => !fn.disabled)) {
    for (const { binding } of outputs.filter((output) => output.binding.type === "serviceBus")) {
      destinationOf(name, binding);
      connectionStringOf(name, binding, settings);
    }
  }
  return {
    async send(binding, data) {
      const connectionString = connectionStringOf(binding.name, binding, settings);
      const destination = destinationOf(binding.name, binding);
      const key = `${connectionString}\n${destination}`;
      const channel = channels.get(key) ?? openChannel(connectionString, destination);
      channels.set(key, channel);
      const sending = sendAll(channel.sender, messagesOf(data));
      channel.sending.add(sending);
      try {
        await sending;
      } catch (error) {
        // The next message gets a new connection instead of one that may be lost, once others are done with it.
        if (channels.get(key) === channel) channels.delete(key);
        void Promise.allSettled(channel.sending).then(() => ended(channel.client.close()));
        throw error;
      } finally {
        channel.sending.delete(sending);
      }
    },
    async close() {
      const open = [...channels.values()];
      channels.clear();
      await Promise.all(open.map(({ client }) => ended(client.close())));
    },
  };
}

interface Channel {
  readonly client: ServiceBusClient;
  readonly sender: ServiceBusSender;
  readonly sending: Set<Promise<void>>;
}

function openChannel(connectionString: string, destination: string): Channel {
  const client = openClient(connectionString);
  return { client, sender: client.createSender(destination), sending: new Set() };
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
