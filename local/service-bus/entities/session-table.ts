import { sessionCannotBeLocked, sessionLockLost } from "../errors.ts";
import type { Consumer } from "./consumer.ts";
import { DueList } from "./due-list.ts";
import { Session } from "./session.ts";

/** The sessions of one entity: which exist, which are free and have messages, who waits for one. */
export class SessionTable {
  readonly #sessions = new Map<string, Session>();
  readonly #available = new Set<Session>();
  readonly #waiting = new Set<(session: Session) => void>();
  readonly #expiring = new DueList<Session>(
    (session, time) => session.owner !== undefined && session.lockedUntil === time,
  );

  all(): Iterable<Session> {
    return this.#sessions.values();
  }

  find(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** The session of that id, made if there is none. */
  open(id: string): Session {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session = new Session(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** The session, provided someone holds its lock. */
  locked(id: string): Session {
    const session = this.#sessions.get(id);
    if (!session?.owner) throw sessionLockLost(id);
    return session;
  }

  own(session: Session, owner: Consumer, until: number): void {
    if (session.owner) throw sessionCannotBeLocked(session.id);
    session.owner = owner;
    this.#available.delete(session);
    this.extend(session, until);
  }

  extend(session: Session, until: number): void {
    if (session.lockedUntil !== 0) this.#expiring.forget();
    session.lockedUntil = until;
    this.#expiring.add(until, session);
  }

  disown(session: Session): void {
    session.owner = undefined;
    session.lockedUntil = 0;
    this.#expiring.forget();
  }

  /** Something about the session changed: it may now be free to take, or be of no more use. */
  review(session: Session): void {
    if (session.isEmpty) this.#sessions.delete(session.id);
    if (session.isAvailable) this.#available.add(session);
    else this.#available.delete(session);
  }

  /** A session that has messages and no owner, the one that has waited longest first. */
  firstAvailable(): Session | undefined {
    for (const session of this.#available) return session;
    return undefined;
  }

  /** Waits for a session to become available; `take` is expected to own it at once. The result calls it off. */
  wait(take: (session: Session) => void): () => void {
    this.#waiting.add(take);
    return () => this.#waiting.delete(take);
  }

  /** Hands available sessions to those who wait, first come first served. */
  offer(): void {
    for (const take of this.#waiting) {
      const session = this.firstAvailable();
      if (!session) return;
      this.#waiting.delete(take);
      take(session);
    }
  }

  takeExpired(now: number): Session | undefined {
    return this.#expiring.takeDue(now);
  }

  nextExpiry(): number {
    return this.#expiring.next();
  }
}
