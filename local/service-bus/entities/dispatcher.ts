import { entityDisabled, type BusError } from "../errors.ts";
import { ConsumerRing, type Consumer } from "./consumer.ts";
import type { QueuedMessage } from "./queued-message.ts";
import { ReadyList } from "./ready-list.ts";
import { SessionTable } from "./session-table.ts";
import type { Session } from "./session.ts";

/** Gives a message, already taken off its list, to a consumer. */
export type Hand = (consumer: Consumer, message: QueuedMessage, session: Session | undefined) => void;

/** Decides who gets which message: consumers in turn, or, with sessions, the owner of each session. */
export class Dispatcher {
  readonly sessions: SessionTable | undefined;
  readonly #ready = new ReadyList();
  readonly #consumers = new ConsumerRing();
  readonly #changed = new Set<Session>();
  readonly #hand: Hand;

  constructor(requiresSession: boolean, hand: Hand) {
    this.sessions = requiresSession ? new SessionTable() : undefined;
    this.#hand = hand;
  }

  /** Lists a message as deliverable; `again` when it has been before. */
  makeReady(message: QueuedMessage, again: boolean): void {
    const session = message.sessionId === undefined ? undefined : this.sessions?.open(message.sessionId);
    const list = session?.ready ?? this.#ready;
    if (again) list.giveBack(message);
    else list.push(message);
    if (!session) return;
    this.#changed.add(session);
    this.sessions?.review(session);
  }

  add(consumer: Consumer): void {
    this.#consumers.add(consumer);
  }

  remove(consumer: Consumer): void {
    this.#consumers.remove(consumer);
  }

  /** Hands out ready messages for as long as someone has credit. */
  pump(): void {
    if (this.sessions) {
      this.sessions.offer();
      for (const session of this.#changed) this.pumpSession(session);
      this.#changed.clear();
      return;
    }
    for (let consumer = this.#consumers.next(); consumer; consumer = this.#consumers.next()) {
      const message = this.#ready.take();
      if (!message) return;
      this.#hand(consumer, message, undefined);
    }
  }

  pumpSession(session: Session): void {
    while (session.owner && session.owner.credit() > 0) {
      const message = session.ready.take();
      if (!message) return;
      this.#hand(session.owner, message, session);
    }
  }

  evictAll(error: BusError): void {
    this.#consumers.evictAll(error);
    for (const session of this.sessions?.all() ?? []) session.owner?.evict(error);
  }

  disable(path: string): void {
    this.evictAll(entityDisabled(path));
  }
}
