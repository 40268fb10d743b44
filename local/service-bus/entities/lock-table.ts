import { randomUUID } from "node:crypto";

import { DueList } from "./due-list.ts";
import { lockedUntil, type Lock, type QueuedMessage } from "./queued-message.ts";
import type { Session } from "./session.ts";

/** The locks of one entity, by token and by the time they run out. */
export class LockTable {
  readonly #byToken = new Map<string, Lock>();
  readonly #expiring = new DueList<Lock>((lock, time) => lock.live && lock.until === time);

  find(token: string): Lock | undefined {
    return this.#byToken.get(token);
  }

  /** Locks a message for one receiver; a message of a session is locked for as long as the session is. */
  lock(message: QueuedMessage, session: Session | undefined, until: number): Lock {
    const lock: Lock = {
      token: randomUUID(),
      message,
      session,
      until: session ? Infinity : until,
      live: true,
    };
    message.lock = lock;
    this.#byToken.set(lock.token, lock);
    if (session) session.locks.add(lock);
    else this.#expiring.add(until, lock);
    return lock;
  }

  unlock(message: QueuedMessage): void {
    const { lock } = message;
    if (!lock) return;
    lock.live = false;
    message.lock = undefined;
    this.#byToken.delete(lock.token);
    if (lock.session) lock.session.locks.delete(lock);
    else this.#expiring.forget();
  }

  extend(lock: Lock, until: number): void {
    this.#expiring.forget();
    lock.until = until;
    this.#expiring.add(until, lock);
  }

  isLive(lock: Lock, now: number): boolean {
    return lock.live && lockedUntil(lock) > now;
  }

  takeExpired(now: number): Lock | undefined {
    return this.#expiring.takeDue(now);
  }

  nextExpiry(): number {
    return this.#expiring.next();
  }
}
