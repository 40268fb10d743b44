import type { AmqpValue } from "../codec/decode.ts";
import { messageLockLost, notAllowed, sessionLockLost } from "../errors.ts";
import { failAttempt, moveToDeadLetters } from "./dead-lettering.ts";
import type { MessageQueue } from "./queue.ts";
import type { Lock, QueuedMessage } from "./queued-message.ts";

export type Properties = ReadonlyMap<string, AmqpValue>;

/** What a receiver decides about a message it holds. */
export type Settlement =
  | { readonly kind: "complete" }
  | { readonly kind: "abandon"; readonly properties: Properties }
  | { readonly kind: "defer"; readonly properties: Properties }
  | { readonly kind: "dead-letter"; readonly properties: Properties };

/** Carries out a receiver's decision; throws when the receiver no longer holds the message. */
export function settle(queue: MessageQueue, lock: Lock | undefined, settlement: Settlement): void {
  const { message } = liveLock(queue, lock);
  switch (settlement.kind) {
    case "complete":
      queue.remove(message);
      break;
    case "abandon":
      modify(queue, message, settlement.properties);
      failAttempt(queue, message);
      break;
    case "defer":
      modify(queue, message, settlement.properties);
      message.state = "deferred";
      queue.store.recount(queue.key, message);
      queue.giveBack(message);
      break;
    case "dead-letter":
      if (!queue.deadLetters)
        throw notAllowed("A message in a dead-letter queue cannot be dead-lettered again.");
      moveToDeadLetters(queue, message, settlement.properties);
      break;
  }
}

/** The lock, provided it still holds. */
export function liveLock(queue: MessageQueue, lock: Lock | undefined): Lock {
  if (lock && queue.locks.isLive(lock, queue.now)) return lock;
  throw lock?.session ? sessionLockLost(lock.session.id) : messageLockLost();
}

/** Lengthens a message's lock by the entity's lock duration, from now. */
export function renewLock(queue: MessageQueue, lock: Lock | undefined): number {
  const live = liveLock(queue, lock);
  if (live.session)
    throw notAllowed("A message of a session is locked by its session: renew the session's lock.");
  const until = queue.now + queue.settings.lockDurationMs;
  queue.locks.extend(live, until);
  queue.watchUntil(until);
  return until;
}

function modify(queue: MessageQueue, message: QueuedMessage, properties: Properties): void {
  if (properties.size > 0) queue.rewrite(message, message.content.withApplicationProperties(properties));
}
