import type { MessageContent } from "../codec/message-content.ts";
import type { ReadyList } from "./ready-list.ts";
import type { Session } from "./session.ts";

export type MessageState = "active" | "deferred" | "scheduled";

/** A message as one queue, subscription or subqueue holds it. */
export interface QueuedMessage {
  content: MessageContent;
  readonly sequence: number;
  /** The number the message had where it was first submitted. */
  readonly enqueuedSequence: number;
  readonly enqueuedAt: number;
  /** The effective time to live: the smaller of the message's and the entity's. */
  readonly ttlMs: number | undefined;
  readonly expiresAt: number;
  readonly dueAt: number | undefined;
  readonly sessionId: string | undefined;
  /** Where it was dead-lettered, for a message that was then forwarded. */
  readonly deadLetterSource: string | undefined;
  state: MessageState;
  /** Deliveries that failed so far. */
  deliveryCount: number;
  lock: Lock | undefined;
  /** The list it can be delivered from, while it can. */
  ready: ReadyList | undefined;
  /** Set when the message has left this queue; lists that still hold it skip it. */
  gone: boolean;
}

/** The right of one receiver to settle one message. A session's messages are locked by the session. */
export interface Lock {
  readonly token: string;
  readonly message: QueuedMessage;
  readonly session: Session | undefined;
  until: number;
  live: boolean;
}

export const lockedUntil = (lock: Lock): number => lock.session?.lockedUntil ?? lock.until;
