import type { Consumer } from "./consumer.ts";
import type { Lock } from "./queued-message.ts";
import { ReadyList } from "./ready-list.ts";

/** Messages that share a session id: at most one receiver holds them, and gets them in order. */
export class Session {
  readonly id: string;
  readonly ready = new ReadyList();
  /** Locks of messages delivered to the owner and not settled yet. */
  readonly locks = new Set<Lock>();
  owner: Consumer | undefined;
  lockedUntil = 0;
  state: Buffer | undefined;
  /** Messages of this session in the queue, whatever their state. */
  messages = 0;

  constructor(id: string) {
    this.id = id;
  }

  get isAvailable(): boolean {
    return this.owner === undefined && this.ready.size > 0;
  }

  get isEmpty(): boolean {
    return this.owner === undefined && this.messages === 0 && this.state === undefined;
  }
}
