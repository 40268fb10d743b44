import type { MessageContent } from "../codec/message-content.ts";
import { entityDisabled, entityNotFound, notAllowed, quotaExceeded } from "../errors.ts";
import * as reasons from "./dead-letter-reasons.ts";
import type { Arrival, MessageQueue } from "./queue.ts";
import type { MessageState } from "./queued-message.ts";

/** A message forwarded more often than this is dead-lettered where it was. */
const mostHops = 4;

/** Whether a sender may send this now; throws the reason when not. */
export function checkSend(queue: MessageQueue, content: MessageContent): void {
  const { status, requiresSession, maxSizeMegabytes } = queue.settings;
  if (queue.isDeleted) throw entityNotFound(queue.path);
  if (status === "Disabled" || status === "SendDisabled") throw entityDisabled(queue.path);
  if (requiresSession && content.sessionId === undefined) {
    throw notAllowed(
      "The SessionId was not set on a message, and it cannot be sent to the entity. " +
        "Entities that have session support enabled can only receive messages that have the SessionId set.",
    );
  }
  if (queue.bytes + content.size > maxSizeMegabytes * 1024 * 1024)
    throw quotaExceeded(queue.path, maxSizeMegabytes);
}

/** Takes a message from a sender and says under which number; a repeat within the window is taken and dropped. */
export function submit(queue: MessageQueue, content: MessageContent): number {
  const { now, duplicates } = queue;
  if (duplicates) {
    if (!duplicates.add(content.messageId, now)) return queue.nextSequence++;
    queue.store.remember(queue.key, content.messageId, now);
  }
  const dueAt = content.head.scheduledAt;
  return dueAt !== undefined && dueAt > now
    ? place(queue, content, { hops: 0 }, "scheduled", dueAt)
    : accept(queue, content, { hops: 0 });
}

/** Takes a message that is due now: keeps it, passes it on, or dead-letters what may not be here. */
export function accept(queue: MessageQueue, content: MessageContent, arrival: Arrival): number {
  const { divert, settings } = queue;
  if (!divert && settings.forwardTo === undefined && !lacksSession(queue, content)) {
    return place(queue, content, arrival, "active", undefined);
  }
  const sequence = queue.nextSequence++;
  const onward: Arrival = { ...arrival, originSequence: arrival.originSequence ?? sequence };
  if (divert) divert(content, onward);
  else if (settings.forwardTo !== undefined) forward(queue, settings.forwardTo, content, onward);
  else if (queue.deadLetters) placeDead(queue.deadLetters, content, reasons.sessionIdIsNull, onward);
  return sequence;
}

/** Passes a message on; what cannot be passed on waits in the transfer dead-letter queue. */
function forward(queue: MessageQueue, target: string, content: MessageContent, arrival: Arrival): void {
  const refused = passOn(queue, target, content, { ...arrival, hops: arrival.hops + 1 });
  if (refused && queue.transferDeadLetters) placeDead(queue.transferDeadLetters, content, refused, arrival);
}

/** Gives a message to another entity; says why when that is not possible. */
export function passOn(
  queue: MessageQueue,
  target: string,
  content: MessageContent,
  arrival: Arrival,
): reasons.DeadLetterProperties | undefined {
  if (arrival.hops > mostHops) return reasons.tooManyHops;
  const destination = queue.around.destination(target);
  if (!destination) return reasons.forwardingFailed(`The messaging entity '${target}' could not be found.`);
  accept(destination, content, arrival);
  return undefined;
}

/** Puts a message that never was in the queue itself straight into one of its dead-letter queues. */
export function placeDead(
  deadLetters: MessageQueue,
  content: MessageContent,
  properties: reasons.DeadLetterProperties,
  arrival: Arrival,
): void {
  place(deadLetters, content.withApplicationProperties(properties), arrival, "active", undefined);
}

const lacksSession = (queue: MessageQueue, content: MessageContent): boolean =>
  queue.settings.requiresSession && content.sessionId === undefined;

function place(
  queue: MessageQueue,
  content: MessageContent,
  arrival: Arrival,
  state: MessageState,
  dueAt: number | undefined,
): number {
  const { now, nextSequence: sequence, settings } = queue;
  const ttlMs = Math.min(content.head.ttlMs ?? Infinity, settings.defaultTtlMs, arrival.ttlCapMs ?? Infinity);
  queue.insert({
    content,
    sequence,
    enqueuedSequence: arrival.originSequence ?? sequence,
    enqueuedAt: now,
    ttlMs: ttlMs === Infinity ? undefined : ttlMs,
    expiresAt: state === "active" && queue.deadLetters ? now + ttlMs : Infinity,
    dueAt,
    sessionId: queue.sessions ? content.sessionId : undefined,
    deadLetterSource: arrival.deadLetterSource,
    state,
    deliveryCount: 0,
    lock: undefined,
    ready: undefined,
    gone: false,
  });
  return sequence;
}
