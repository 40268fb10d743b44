import { encodeMessage } from "../../codec/encode-message.ts";
import * as encode from "../../codec/encode.ts";
import { readContent } from "../../codec/message-content.ts";
import { cancelScheduled, findDeferred, peek } from "../../entities/browse.ts";
import type { MessageQueue } from "../../entities/queue.ts";
import {
  lockedUntil,
  type Lock,
  type MessageState,
  type QueuedMessage,
} from "../../entities/queued-message.ts";
import { invalidArgument, notAllowed } from "../../errors.ts";
import { renewLock, settle, type Properties, type Settlement } from "../../entities/settlement.ts";
import { asMap } from "../request.ts";
import {
  integerField,
  integersField,
  listField,
  optionalString,
  stringField,
  stringsField,
} from "./arguments.ts";
import { noContent, ok, type Operation } from "./operation.ts";

const stateCodes: Readonly<Record<MessageState, number>> = { active: 0, deferred: 1, scheduled: 2 };

function encoded(message: QueuedMessage, lock: Lock | undefined, omitBody: boolean): Buffer {
  const content = omitBody ? message.content.withoutBody() : message.content;
  const { ttlMs, deliveryCount, enqueuedAt, sequence, enqueuedSequence, deadLetterSource, state } = message;
  const until = lock ?? message.lock;
  return encodeMessage(content, {
    ttlMs,
    deliveryCount,
    enqueuedAt,
    sequence,
    enqueuedSequence,
    lockedUntil: until && lockedUntil(until),
    state: stateCodes[state],
    deadLetterSource,
  });
}

export const peekMessage: Operation = ({ entity: { queue }, body }) => {
  const count = integerField(body, "message-count", 1);
  const session = optionalString(body, "session-id");
  const messages = peek(queue, integerField(body, "from-sequence-number"), count, session);
  if (messages.length === 0) return noContent;
  const omitBody = body.get("omit-message-body") === true;
  const items = messages.map((message) =>
    encode.map({ message: encode.binary(encoded(message, undefined, omitBody)) }),
  );
  return ok(encode.map({ messages: encode.list(items) }));
};

export const scheduleMessage: Operation = ({ broker, entity, body }) => {
  if (entity.kind !== "queue" && entity.kind !== "topic")
    throw notAllowed("Only queues and topics take messages.");
  const contents = listField(body, "messages").map((item) => {
    const bytes = asMap(item).get("message");
    if (!Buffer.isBuffer(bytes)) throw invalidArgument("'message' must be binary.");
    return readContent(bytes);
  });
  const sequences = broker.send(entity.queue, contents);
  return ok(encode.map({ "sequence-numbers": encode.array(0x81, sequences.map(encode.long)) }));
};

export const cancelScheduledMessage: Operation = ({ entity: { queue }, body }) => {
  cancelScheduled(queue, integersField(body, "sequence-numbers"));
  return ok();
};

export const receiveBySequenceNumber: Operation = ({ entity: { queue }, body }) => {
  const found = findDeferred(
    queue,
    integersField(body, "sequence-numbers"),
    optionalString(body, "session-id"),
  );
  const locks = integerField(body, "receiver-settle-mode", 1) === 1;
  const items = found.messages.map((message) => {
    if (!locks) {
      queue.remove(message);
      return encode.map({ message: encode.binary(encoded(message, undefined, false)) });
    }
    const lock = queue.locks.lock(message, found.session, queue.now + queue.settings.lockDurationMs);
    queue.watchUntil(lock.until);
    return encode.map({
      "lock-token": encode.uuid(lock.token),
      message: encode.binary(encoded(message, lock, false)),
    });
  });
  return ok(encode.map({ messages: encode.list(items) }));
};

export const renewMessageLock: Operation = ({ entity: { queue }, body }) => {
  const expirations = stringsField(body, "lock-tokens").map((token) =>
    renewLock(queue, queue.locks.find(token)),
  );
  return ok(encode.map({ expirations: encode.array(0x83, expirations.map(encode.timestamp)) }));
};

/** Settles messages by their tokens: deferred ones, and those whose link is gone. */
export const updateDisposition: Operation = ({ entity: { queue }, body }) => {
  const properties = asMap(body.get("properties-to-modify"));
  const settlement = settlementOf(stringField(body, "disposition-status"), properties, {
    DeadLetterReason: optionalString(body, "deadletter-reason"),
    DeadLetterErrorDescription: optionalString(body, "deadletter-description"),
  });
  const session = optionalString(body, "session-id");
  for (const token of stringsField(body, "lock-tokens")) settleByToken(queue, token, session, settlement);
  return ok();
};

function settleByToken(
  queue: MessageQueue,
  token: string,
  session: string | undefined,
  settlement: Settlement,
): void {
  if (session !== undefined) queue.sessions?.locked(session);
  settle(queue, queue.locks.find(token), settlement);
}

function settlementOf(
  status: string,
  properties: Properties,
  reasons: Readonly<Record<string, string | undefined>>,
): Settlement {
  switch (status) {
    case "completed":
      return { kind: "complete" };
    case "abandoned":
      return { kind: "abandon", properties };
    case "defered":
      return { kind: "defer", properties };
    case "suspended": {
      const given = Object.entries(reasons).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      return { kind: "dead-letter", properties: new Map([...properties, ...given]) };
    }
    default:
      throw invalidArgument(`'${status}' is not a disposition.`);
  }
}
