import * as reasons from "./dead-letter-reasons.ts";
import type { MessageContent } from "../codec/message-content.ts";
import type { MessageQueue } from "./queue.ts";
import type { QueuedMessage } from "./queued-message.ts";
import { passOn } from "./submission.ts";

/** Counts a failed delivery: back to its place, or to the dead-letter queue when that was the last try. */
export function failAttempt(queue: MessageQueue, message: QueuedMessage): void {
  message.deliveryCount++;
  if (message.deliveryCount >= queue.settings.maxDeliveryCount) {
    moveToDeadLetters(queue, message, reasons.maxDeliveryCountExceeded(message.deliveryCount));
    return;
  }
  queue.store.recount(queue.key, message);
  queue.giveBack(message);
}

/** Ends a message whose time to live has passed. */
export function expire(queue: MessageQueue, message: QueuedMessage): void {
  if (queue.settings.deadLetteringOnExpiration) moveToDeadLetters(queue, message, reasons.expired);
  else queue.remove(message);
}

/**
 * Moves a message to the dead-letter queue, or to where that forwards. The copy is recorded before the removal: a
 * crash between the two leaves the message twice, never not at all.
 */
export function moveToDeadLetters(
  queue: MessageQueue,
  message: QueuedMessage,
  properties: reasons.DeadLetterProperties,
): void {
  const content = message.content.withApplicationProperties(properties);
  if (!forwarded(queue, content, message) && queue.deadLetters) adopt(queue.deadLetters, content, message);
  queue.remove(message);
}

function forwarded(queue: MessageQueue, content: MessageContent, message: QueuedMessage): boolean {
  const target = queue.settings.forwardDeadLettersTo;
  if (target === undefined) return false;
  const arrival = { hops: 1, originSequence: message.enqueuedSequence, deadLetterSource: queue.path };
  return passOn(queue, target, content, arrival) === undefined;
}

/** Keeps count, time and, as far as numbers still ascend, the number of a dead-lettered message. */
function adopt(deadLetters: MessageQueue, content: MessageContent, message: QueuedMessage): void {
  deadLetters.insert({
    ...message,
    content,
    sequence: Math.max(deadLetters.nextSequence, message.sequence),
    ttlMs: content.head.ttlMs,
    expiresAt: Infinity,
    dueAt: undefined,
    sessionId: undefined,
    state: "active",
    lock: undefined,
    ready: undefined,
    gone: false,
  });
}
