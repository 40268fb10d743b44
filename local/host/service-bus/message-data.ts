import type { ServiceBusReceivedMessage } from "@azure/service-bus";

import { isObject } from "../config/json-file.ts";
import type { TypedData } from "../worker/typed-data.ts";

type Metadata = Record<string, TypedData>;

/** .NET's last moment: a message that never expires seems to expire then. */
const maxDate = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The trigger's value for one message. */
export function messageData(message: ServiceBusReceivedMessage, dataType: unknown): TypedData {
  return isBinary(dataType) ? { bytes: bytesOf(message.body) } : { string: textOf(message.body) };
}

/** The trigger's value for a batch; the platform leaves empty texts out. */
export function batchData(messages: readonly ServiceBusReceivedMessage[], dataType: unknown): TypedData {
  if (isBinary(dataType)) return { collectionBytes: { bytes: messages.map(({ body }) => bytesOf(body)) } };
  return {
    collectionString: { string: messages.map(({ body }) => textOf(body)).filter((text) => text !== "") },
  };
}

/** What `context.triggerMetadata` shows of one message, properties of a JSON body included. */
export function messageMetadata(message: ServiceBusReceivedMessage): Metadata {
  const metadata: Metadata = {};
  for (const [name, value] of Object.entries(propertiesOf(message))) {
    if (value !== undefined) metadata[name] = typeof value === "string" ? { string: value } : json(value);
  }
  for (const [name, value] of bodyProperties(textOf(message.body))) {
    const shadowed = Object.keys(metadata).find((known) => known.toLowerCase() === name.toLowerCase());
    metadata[shadowed ?? name] = value;
  }
  return metadata;
}

/** The same names with `Array` behind them, one element a message. */
export function batchMetadata(messages: readonly ServiceBusReceivedMessage[]): Metadata {
  const each = messages.map(propertiesOf);
  const metadata: Metadata = {};
  for (const name of new Set(each.flatMap((properties) => Object.keys(properties)))) {
    const values = each.map((properties) => properties[name]).filter((value) => value !== undefined);
    if (values.length === 0) continue;
    metadata[`${name}Array`] = values.every((value) => typeof value === "string")
      ? { collectionString: { string: values } }
      : json(values);
  }
  return metadata;
}

function propertiesOf(message: ServiceBusReceivedMessage): Record<string, unknown> {
  const applicationProperties = message.applicationProperties ?? {};
  return {
    MessageId: message.messageId === undefined ? undefined : textOf(message.messageId),
    // The library counts from nought, the platform from one.
    DeliveryCount: (message.deliveryCount ?? 0) + 1,
    LockToken: message.lockToken,
    // A number on the platform too, where those beyond 2^53 lose their last digits all the same.
    SequenceNumber: message.sequenceNumber === undefined ? undefined : Number(message.sequenceNumber),
    DeadLetterSource: message.deadLetterSource,
    EnqueuedTimeUtc: utc(message.enqueuedTimeUtc),
    EnqueuedTime: withOffset(message.enqueuedTimeUtc),
    ExpiresAtUtc: utc(message.expiresAtUtc),
    ExpiresAt: withOffset(message.expiresAtUtc),
    ContentType: message.contentType,
    CorrelationId: message.correlationId === undefined ? undefined : textOf(message.correlationId),
    Subject: message.subject,
    Label: message.subject,
    To: message.to,
    ReplyTo: message.replyTo,
    ReplyToSessionId: message.replyToSessionId,
    SessionId: message.sessionId,
    PartitionKey: message.partitionKey,
    ApplicationProperties: applicationProperties,
    UserProperties: applicationProperties,
  };
}

/** Top-level properties of a JSON object, arrays and nulls left out, values in the words of .NET. */
function bodyProperties(text: string): [string, TypedData][] {
  if (!/^\s*\{/.test(text)) return [];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isObject(body)) return [];
  return Object.entries(body)
    .filter(([, value]) => value !== null && !Array.isArray(value))
    .map(([name, value]) => [name, isObject(value) ? json(value) : { string: dotNetText(value) }]);
}

function dotNetText(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}

/** Bodies arrive as bytes; only a sender that used another AMQP section makes them values. */
function textOf(body: unknown): string {
  if (body === undefined || body === null) return "";
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString("utf8") : JSON.stringify(body);
}

function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : Buffer.from(textOf(body));
}

function isBinary(dataType: unknown): boolean {
  return typeof dataType === "string" && /^(?:binary|stream)$/i.test(dataType);
}

function json(value: unknown): TypedData {
  return { json: JSON.stringify(value) };
}

function utc(date: Date | undefined): string | undefined {
  return date && new Date(Math.min(date.getTime(), maxDate)).toISOString();
}

function withOffset(date: Date | undefined): string | undefined {
  return utc(date)?.replace("Z", "+00:00");
}
