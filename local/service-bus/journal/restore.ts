import { readContent } from "../codec/message-content.ts";
import type { Broker } from "../entities/broker.ts";
import { sessionIdIsNull } from "../entities/dead-letter-reasons.ts";
import type { MessageQueue } from "../entities/queue.ts";
import type { CreatedEntity } from "../entities/store.ts";
import { placeDead } from "../entities/submission.ts";
import type { JournalImage, QueueImage } from "./image.ts";
import { messageRecord, sessionRecord, type JournalStore, type LiveState } from "./journal-store.ts";
import { encodeRecord } from "./record.ts";

/**
 * Brings a broker, fresh from the configuration, to what the journal says. The configuration decides which entities
 * there are and how they behave; messages of entities it no longer names are left out, and counted.
 */
export function restoreBroker(
  broker: Broker,
  store: JournalStore,
): { readonly restored: number; readonly left: number } {
  const { image } = store;
  for (const [path, entity] of image.entities) restoreEntity(broker, path, entity);
  restoreRules(broker, store, image);
  let restored = 0;
  const known = new Set<string>();
  for (const queue of broker.allQueues()) {
    known.add(queue.key);
    const found = image.queues.get(queue.key);
    if (!found) continue;
    restoreQueue(queue, found);
    restored += found.messages.size;
  }
  const left = [...image.queues]
    .filter(([key]) => !known.has(key))
    .reduce((sum, [, { messages }]) => sum + messages.size, 0);
  store.begin(liveState(broker));
  return { restored, left };
}

function restoreEntity(broker: Broker, path: string, entity: CreatedEntity): void {
  if (broker.find({ entity: path, subqueue: undefined })) return;
  if (entity.kind === "queue") broker.createQueue(entity.description);
  else if (entity.kind === "topic") broker.createTopic(entity.description);
  else {
    const topic = broker.topics.get(entity.topic.toLowerCase());
    if (!topic) return;
    broker.createSubscription(topic, entity.description);
  }
  broker.save(path, entity);
}

/** Rules changed at run time stay changed, unless the configuration has since changed them too. */
function restoreRules(broker: Broker, store: JournalStore, image: JournalImage): void {
  for (const [path, { configured, rules }] of image.rules) {
    const found = broker.find({ entity: path, subqueue: undefined });
    if (found?.kind !== "subscription") continue;
    if (JSON.stringify(found.subscription.configured) !== JSON.stringify(configured)) continue;
    found.subscription.replaceRules(rules);
    store.saveRules(path, configured, rules);
  }
}

function restoreQueue(queue: MessageQueue, image: QueueImage): void {
  queue.nextSequence = Math.max(queue.nextSequence, image.next);
  for (const [id, at] of image.seen) queue.duplicates?.add(id, at);
  for (const [session, state] of image.sessions) {
    if (queue.sessions) queue.sessions.open(session).state = state;
  }
  for (const { record, payload } of image.messages.values()) {
    const content = readContent(payload);
    const sessionId = queue.sessions ? content.sessionId : undefined;
    if (queue.sessions && queue.deadLetters && sessionId === undefined) {
      // The configuration has since come to demand sessions: the message cannot be delivered, but is not lost.
      placeDead(queue.deadLetters, content, sessionIdIsNull, {
        hops: 0,
        originSequence: record.enqueuedSequence,
      });
      continue;
    }
    queue.restore({ ...record, content, sessionId, lock: undefined, ready: undefined, gone: false });
  }
}

/** The broker's state, as a journal would tell it from the beginning. */
function liveState(broker: Broker): LiveState {
  return {
    bytes() {
      let bytes = 0;
      for (const queue of broker.allQueues()) bytes += queue.bytes;
      return bytes;
    },
    *records() {
      for (const queue of broker.allQueues()) yield* queueRecords(queue);
    },
  };
}

function* queueRecords(queue: MessageQueue): Iterable<Buffer> {
  const { key } = queue;
  if (queue.nextSequence > 1)
    yield encodeRecord({ kind: "next-sequence", queue: key, next: queue.nextSequence });
  for (const [id, at] of queue.duplicates?.entries() ?? [])
    yield encodeRecord({ kind: "seen", queue: key, id, at });
  for (const { id, state } of queue.sessions?.all() ?? []) if (state) yield sessionRecord(key, id, state);
  for (const message of queue.messages.values()) yield messageRecord(key, message);
}
