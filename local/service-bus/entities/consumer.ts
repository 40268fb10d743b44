import type { BusError } from "../errors.ts";
import type { Lock, QueuedMessage } from "./queued-message.ts";

/** Someone who takes messages from a queue: a receiver link, or a stand-in in a test. */
export interface Consumer {
  readonly mode: "peek-lock" | "receive-and-delete";
  /** How many messages it can take now. */
  credit(): number;
  /** Messages already removed for it that wait for the journal before they are sent; they use up credit. */
  promised: number;
  deliver(message: QueuedMessage, lock: Lock | undefined): void;
  /** The broker ends the relation: the entity was deleted or disabled, or the session was lost. */
  evict(error: BusError): void;
}

/** Gives messages to consumers in turn, one at a time. */
export class ConsumerRing {
  #consumers: Consumer[] = [];
  #turn = 0;

  add(consumer: Consumer): void {
    this.#consumers.push(consumer);
  }

  remove(consumer: Consumer): void {
    this.#consumers = this.#consumers.filter((other) => other !== consumer);
  }

  evictAll(error: BusError): void {
    for (const consumer of this.#consumers) consumer.evict(error);
    this.#consumers = [];
  }

  /** The next one in turn that can take a message. */
  next(): Consumer | undefined {
    const count = this.#consumers.length;
    for (let step = 0; step < count; step++) {
      const index = (this.#turn + step) % count;
      const consumer = this.#consumers[index];
      if (consumer && consumer.credit() > 0) {
        this.#turn = (index + 1) % count;
        return consumer;
      }
    }
    return undefined;
  }
}
