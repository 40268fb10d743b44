import { Deque } from "./deque.ts";
import { Heap } from "./heap.ts";
import type { QueuedMessage } from "./queued-message.ts";

/** Messages that may be delivered, in order of their sequence numbers; returned ones find their old place again. */
export class ReadyList {
  readonly #fresh = new Deque<QueuedMessage>();
  readonly #returned = new Heap<QueuedMessage>((message) => message.sequence);
  #gone = 0;

  get size(): number {
    return this.#fresh.size + this.#returned.size - this.#gone;
  }

  /** Adds a message whose number is higher than any before. */
  push(message: QueuedMessage): void {
    message.ready = this;
    this.#fresh.push(message);
  }

  giveBack(message: QueuedMessage): void {
    message.ready = this;
    this.#returned.push(message);
  }

  take(): QueuedMessage | undefined {
    for (;;) {
      const fresh = this.#fresh.peek();
      const returned = this.#returned.peek();
      const fromReturned = returned && (!fresh || returned.sequence < fresh.sequence);
      const message = fromReturned ? this.#returned.pop() : this.#fresh.shift();
      if (!message) return undefined;
      message.ready = undefined;
      if (!message.gone) return message;
      this.#gone--;
    }
  }

  /** Notes that a message on the list has left the queue; the list is rebuilt when half of it has. */
  forget(): void {
    this.#gone++;
    if (this.#gone < 1024 || this.#gone * 2 < this.#fresh.size + this.#returned.size) return;
    this.#fresh.keep((message) => !message.gone);
    this.#returned.keep((message) => !message.gone);
    this.#gone = 0;
  }
}
