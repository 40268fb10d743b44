import { messageNotFound, sessionLockLost } from "../errors.ts";
import type { MessageQueue } from "./queue.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { Session } from "./session.ts";

/** Messages from a sequence number on, in order, whatever their state; nothing is locked. */
export function peek(
  queue: MessageQueue,
  from: number,
  count: number,
  session?: string,
): readonly QueuedMessage[] {
  const found: QueuedMessage[] = [];
  for (const message of ascending(queue, from)) {
    if (found.length >= count) break;
    const visible = message.lock !== undefined || message.expiresAt > queue.now;
    if (visible && (session === undefined || message.sessionId === session)) found.push(message);
  }
  return found;
}

/** Probes numbers or walks the table, whichever is shorter: the table may start far above or hold far more. */
function* ascending(queue: MessageQueue, from: number): Iterable<QueuedMessage> {
  const { messages, nextSequence } = queue;
  if (nextSequence - from > messages.size) {
    for (const message of messages.values()) if (message.sequence >= from) yield message;
    return;
  }
  for (let sequence = Math.max(from, 1); sequence < nextSequence; sequence++) {
    const message = messages.get(sequence);
    if (message) yield message;
  }
}

/** The deferred messages of these numbers, all or none. */
export function findDeferred(
  queue: MessageQueue,
  sequences: readonly number[],
  session: string | undefined,
): { readonly messages: readonly QueuedMessage[]; readonly session: Session | undefined } {
  if (queue.sessions && session === undefined) throw sessionLockLost("");
  const owned = session === undefined ? undefined : queue.sessions?.locked(session);
  const messages = sequences.map((sequence) => {
    const message = queue.messages.get(sequence);
    if (message?.state !== "deferred" || message.lock || message.sessionId !== owned?.id) {
      throw messageNotFound(sequence);
    }
    return message;
  });
  return { messages, session: owned };
}

/** Takes back scheduled messages, all or none. */
export function cancelScheduled(queue: MessageQueue, sequences: readonly number[]): void {
  const messages = sequences.map((sequence) => {
    const message = queue.messages.get(sequence);
    if (message?.state !== "scheduled") throw messageNotFound(sequence);
    return message;
  });
  for (const message of messages) queue.remove(message);
}
