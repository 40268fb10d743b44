import { sessionLockLost } from "../errors.ts";
import type { Consumer } from "./consumer.ts";
import { failAttempt } from "./dead-lettering.ts";
import type { MessageQueue } from "./queue.ts";
import type { Session } from "./session.ts";

/** Gives a session to a receiver; throws when another holds it. */
export function acceptSession(queue: MessageQueue, id: string, owner: Consumer): Session {
  const sessions = queue.sessions!;
  const session = sessions.open(id);
  sessions.own(session, owner, queue.now + queue.settings.lockDurationMs);
  queue.watchUntil(session.lockedUntil);
  return session;
}

export function renewSession(queue: MessageQueue, id: string): number {
  const session = queue.sessions?.locked(id);
  if (!session) throw sessionLockLost(id);
  queue.sessions?.extend(session, queue.now + queue.settings.lockDurationMs);
  queue.watchUntil(session.lockedUntil);
  return session.lockedUntil;
}

/** The receiver closed its link: its messages are ready again, and the attempt does not count. */
export function releaseSession(queue: MessageQueue, session: Session, owner: Consumer): void {
  if (session.owner !== owner) return;
  queue.sessions?.disown(session);
  for (const lock of session.locks) queue.giveBack(lock.message);
  queue.sessions?.review(session);
  queue.requestPump();
}

/** The session's lock ran out: the attempts count, and the receiver is told. */
export function loseSession(queue: MessageQueue, session: Session): void {
  const { owner } = session;
  queue.sessions?.disown(session);
  for (const lock of session.locks) failAttempt(queue, lock.message);
  queue.sessions?.review(session);
  owner?.evict(sessionLockLost(session.id));
  queue.requestPump();
}
