import type { Clock } from "../../clock.ts";
import type { MessageContent } from "../codec/message-content.ts";
import type { BusError } from "../errors.ts";
import { Alarm } from "./alarm.ts";
import type { Consumer } from "./consumer.ts";
import { expire, failAttempt } from "./dead-lettering.ts";
import { Dispatcher } from "./dispatcher.ts";
import { DueList } from "./due-list.ts";
import { Duplicates } from "./duplicates.ts";
import { LockTable } from "./lock-table.ts";
import type { QueuedMessage } from "./queued-message.ts";
import { loseSession } from "./session-locks.ts";
import type { Session } from "./session.ts";
import type { QueueSettings } from "./settings.ts";
import type { Store } from "./store.ts";
import { accept } from "./submission.ts";
import { noTraffic } from "./traffic.ts";

/** How a message came: straight from a sender, or by way of other entities. */
export interface Arrival {
  readonly hops: number;
  readonly originSequence?: number;
  readonly deadLetterSource?: string;
  readonly ttlCapMs?: number;
}

/** What a queue needs of the namespace around it. */
export interface Surroundings {
  readonly clock: Clock;
  readonly store: Store;
  /** The entity of that name that messages can be sent to. */
  destination(path: string): MessageQueue | undefined;
}

export interface QueueKind {
  /** Publishes what is accepted instead of keeping it: how a topic is made of a queue. */
  readonly divert?: (content: MessageContent, arrival: Arrival) => void;
  /** Dead-letter queues have no subqueues themselves. */
  readonly isSubqueue?: boolean;
}

/**
 * The messages of one queue, subscription or dead-letter queue, and where each of them is.
 *
 *   submitted -> [scheduled] -> ready -> locked -> gone (completed, or moved to the dead-letter queue)
 *                                ^        |  \-> deferred
 *                                \--------/  abandoned, or the lock ran out
 */
export class MessageQueue {
  readonly path: string;
  readonly key: string;
  readonly around: Surroundings;
  readonly divert: QueueKind["divert"];
  readonly deadLetters: MessageQueue | undefined;
  readonly transferDeadLetters: MessageQueue | undefined;
  readonly createdAt: number;
  accessedAt: number;
  readonly messages = new Map<number, QueuedMessage>();
  readonly locks = new LockTable();
  readonly traffic = noTraffic();
  readonly dispatcher: Dispatcher;
  settings: QueueSettings;
  duplicates: Duplicates | undefined;
  nextSequence = 1;
  bytes = 0;
  scheduledCount = 0;
  /** Set when the entity was deleted; links that still know it must not use it. */
  isDeleted = false;

  readonly #alarm: Alarm;
  readonly #expiring = new DueList<QueuedMessage>((message) => !message.gone);
  readonly #scheduled = new DueList<QueuedMessage>((message) => !message.gone);
  #pumpRequested = false;

  constructor(path: string, settings: QueueSettings, around: Surroundings, kind: QueueKind = {}) {
    this.path = path;
    this.key = path.toLowerCase();
    this.settings = settings;
    this.around = around;
    this.divert = kind.divert;
    this.createdAt = around.clock.now();
    this.accessedAt = this.createdAt;
    this.dispatcher = new Dispatcher(settings.requiresSession, (consumer, message, session) =>
      this.#hand(consumer, message, session),
    );
    this.#alarm = new Alarm(around.clock, () => this.#tick());
    this.#applySettings();
    if (kind.isSubqueue) return;
    const dead = deadLetterSettings(settings);
    this.deadLetters = new MessageQueue(`${path}/$DeadLetterQueue`, dead, around, { isSubqueue: true });
    this.transferDeadLetters = new MessageQueue(`${path}/$Transfer/$DeadLetterQueue`, dead, around, {
      isSubqueue: true,
    });
  }

  get now(): number {
    return this.around.clock.now();
  }

  get store(): Store {
    return this.around.store;
  }

  get sessions(): Dispatcher["sessions"] {
    return this.dispatcher.sessions;
  }

  /** Changes the settings of a living entity; what was decided under the old ones stays decided. */
  reconfigure(settings: QueueSettings): void {
    this.settings = settings;
    this.#applySettings();
    this.deadLetters?.reconfigure(deadLetterSettings(settings));
    this.transferDeadLetters?.reconfigure(deadLetterSettings(settings));
    if (settings.status === "Disabled" || settings.status === "ReceiveDisabled")
      this.dispatcher.disable(this.path);
  }

  #applySettings(): void {
    const { duplicateWindowMs } = this.settings;
    if (duplicateWindowMs === undefined) this.duplicates = undefined;
    else this.duplicates ??= new Duplicates(duplicateWindowMs);
  }

  /** Takes a message in: recorded, listed, and delivered once that is safe. */
  insert(message: QueuedMessage): void {
    this.accessedAt = this.now;
    this.restore(message);
    this.store.put(this.key, message);
    this.requestPump();
  }

  /** Puts a message where its state says, as after a restart: nothing is recorded. */
  restore(message: QueuedMessage): void {
    this.nextSequence = Math.max(this.nextSequence, message.sequence + 1);
    this.messages.set(message.sequence, message);
    this.bytes += message.content.size;
    if (message.sessionId !== undefined && this.sessions) this.sessions.open(message.sessionId).messages++;
    if (message.state === "scheduled") {
      this.scheduledCount++;
      this.#scheduled.add(message.dueAt ?? 0, message);
      this.#alarm.wakeAt(message.dueAt ?? 0);
    } else if (message.state === "active") {
      this.#expiring.add(message.expiresAt, message);
      this.#alarm.wakeAt(message.expiresAt);
      this.dispatcher.makeReady(message, false);
    }
  }

  /** Takes a message out for good. */
  remove(message: QueuedMessage): void {
    this.locks.unlock(message);
    message.gone = true;
    message.ready?.forget();
    this.messages.delete(message.sequence);
    this.bytes -= message.content.size;
    this.store.remove(this.key, message);
    if (message.state === "scheduled") {
      this.scheduledCount--;
      this.#scheduled.forget();
    } else if (message.expiresAt !== Infinity) {
      this.#expiring.forget();
    }
    const session = message.sessionId === undefined ? undefined : this.sessions?.find(message.sessionId);
    if (!session) return;
    session.messages--;
    this.sessions?.review(session);
  }

  /** Replaces the content of a message that stays where it is. */
  rewrite(message: QueuedMessage, content: MessageContent): void {
    this.bytes += content.size - message.content.size;
    message.content = content;
    this.store.put(this.key, message);
  }

  /** Puts a message back after its receiver let go of it; one that expired meanwhile expires now. */
  giveBack(message: QueuedMessage): void {
    this.locks.unlock(message);
    if (message.state !== "active") return;
    if (message.expiresAt <= this.now) {
      expire(this, message);
      return;
    }
    this.dispatcher.makeReady(message, true);
    this.requestPump();
  }

  /** Sees to it that the alarm is not later than this. */
  watchUntil(time: number): void {
    this.#alarm.wakeAt(time);
  }

  addConsumer(consumer: Consumer): void {
    this.dispatcher.add(consumer);
    this.requestPump();
  }

  /** Delivers once what is recorded so far is safe; many requests make one round. */
  requestPump(): void {
    if (this.#pumpRequested) return;
    this.#pumpRequested = true;
    this.store.commit(() => {
      this.#pumpRequested = false;
      this.dispatcher.pump();
    });
  }

  #hand(consumer: Consumer, message: QueuedMessage, session: Session | undefined): void {
    if (message.expiresAt <= this.now) {
      expire(this, message);
    } else if (consumer.mode === "peek-lock") {
      const lock = this.locks.lock(message, session, this.now + this.settings.lockDurationMs);
      this.#alarm.wakeAt(lock.until);
      consumer.deliver(message, lock);
    } else {
      consumer.promised++;
      this.remove(message);
      this.store.commit(() => consumer.deliver(message, undefined));
    }
  }

  /** Ends every relation, because the entity is deleted. */
  close(error: BusError): void {
    this.isDeleted = true;
    this.#alarm.cancel();
    this.dispatcher.evictAll(error);
    this.deadLetters?.close(error);
    this.transferDeadLetters?.close(error);
  }

  #tick(): void {
    const { now, locks, sessions } = this;
    for (let lock = locks.takeExpired(now); lock; lock = locks.takeExpired(now))
      failAttempt(this, lock.message);
    for (let lost = sessions?.takeExpired(now); lost; lost = sessions?.takeExpired(now))
      loseSession(this, lost);
    for (let message = this.#expiring.takeDue(now); message; message = this.#expiring.takeDue(now)) {
      if (message.ready) expire(this, message);
    }
    for (let message = this.#scheduled.takeDue(now); message; message = this.#scheduled.takeDue(now)) {
      accept(this, message.content, { hops: 0 });
      this.remove(message);
    }
    const next = [
      locks.nextExpiry(),
      sessions?.nextExpiry() ?? Infinity,
      this.#expiring.next(),
      this.#scheduled.next(),
    ];
    this.#alarm.wakeAt(Math.min(...next));
  }
}

/** A dead-letter queue keeps its messages until someone takes them, however often that fails. */
const deadLetterSettings = (settings: QueueSettings): QueueSettings => ({
  ...settings,
  maxDeliveryCount: Infinity,
  defaultTtlMs: Infinity,
  deadLetteringOnExpiration: false,
  requiresSession: false,
  duplicateWindowMs: undefined,
  forwardTo: undefined,
  forwardDeadLettersTo: undefined,
});
