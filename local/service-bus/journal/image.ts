import type { RuleDescription } from "../entities/settings.ts";
import type { CreatedEntity } from "../entities/store.ts";
import type { Decoded, JournalRecord, MessageRecord } from "./record.ts";

/** What the journal says one queue held. */
export interface QueueImage {
  next: number;
  readonly messages: Map<number, { readonly record: MessageRecord; readonly payload: Buffer }>;
  readonly seen: Map<string, number>;
  readonly sessions: Map<string, Buffer>;
}

export interface RulesImage {
  readonly configured: readonly RuleDescription[];
  readonly rules: readonly RuleDescription[];
}

/** What the journal says the namespace held. */
export class JournalImage {
  readonly queues = new Map<string, QueueImage>();
  readonly rules = new Map<string, RulesImage>();
  readonly entities = new Map<string, CreatedEntity>();

  queue(key: string): QueueImage {
    let image = this.queues.get(key);
    if (!image) {
      image = { next: 1, messages: new Map(), seen: new Map(), sessions: new Map() };
      this.queues.set(key, image);
    }
    return image;
  }

  apply(record: JournalRecord, payload: Buffer): void {
    switch (record.kind) {
      case "message": {
        const queue = this.queue(record.queue);
        queue.next = Math.max(queue.next, record.sequence + 1);
        queue.messages.set(record.sequence, { record, payload });
        break;
      }
      case "recount": {
        const { messages } = this.queue(record.queue);
        const known = messages.get(record.sequence);
        const { state, deliveryCount } = record;
        if (known)
          messages.set(record.sequence, { ...known, record: { ...known.record, state, deliveryCount } });
        break;
      }
      case "removed":
        this.queue(record.queue).messages.delete(record.sequence);
        break;
      case "seen":
        this.queue(record.queue).seen.set(record.id, record.at);
        break;
      case "session-state":
        if (record.cleared) this.queue(record.queue).sessions.delete(record.session);
        else this.queue(record.queue).sessions.set(record.session, payload);
        break;
      case "next-sequence": {
        const queue = this.queue(record.queue);
        queue.next = Math.max(queue.next, record.next);
        break;
      }
      case "rules":
        this.rules.set(record.subscription, { configured: record.configured, rules: record.rules });
        break;
      case "entity":
        this.entities.set(record.path, record.entity);
        break;
      case "dropped":
        this.#drop(record.path);
        break;
    }
  }

  #drop(path: string): void {
    for (const map of [this.queues, this.rules, this.entities]) {
      for (const key of map.keys()) if (key === path || key.startsWith(`${path}/`)) map.delete(key);
    }
  }
}

/** Reads a journal up to its end or to the first record that is not whole. */
export function readImage(records: Iterable<Decoded>): JournalImage {
  const image = new JournalImage();
  for (const { record, payload } of records) image.apply(record, payload);
  return image;
}
