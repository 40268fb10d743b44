import type { Clock } from "../../clock.ts";
import type { MessageContent } from "../codec/message-content.ts";
import { entityAlreadyExists, entityNotFound } from "../errors.ts";
import type { Address } from "./address.ts";
import { MessageQueue, type Surroundings } from "./queue.ts";
import type {
  NamespaceEntities,
  QueueDescription,
  SubscriptionDescription,
  TopicDescription,
} from "./settings.ts";
import type { CreatedEntity, Store } from "./store.ts";
import { checkSend, submit } from "./submission.ts";
import { Topic, type Subscription } from "./topic.ts";

/** What an address stands for. */
export type Entity =
  | { readonly kind: "queue"; readonly queue: MessageQueue }
  | { readonly kind: "subscription"; readonly queue: MessageQueue; readonly subscription: Subscription }
  | { readonly kind: "dead-letters"; readonly queue: MessageQueue }
  | { readonly kind: "topic"; readonly queue: MessageQueue; readonly topic: Topic };

/** The namespace: every entity by its path. */
export class Broker {
  readonly queues = new Map<string, MessageQueue>();
  readonly topics = new Map<string, Topic>();
  /** Entities that were created at run time and are not in the configuration. */
  readonly #created = new Set<string>();
  readonly #around: Surroundings;

  constructor(clock: Clock, store: Store, entities: NamespaceEntities) {
    this.#around = { clock, store, destination: (path) => this.#destination(path) };
    for (const queue of entities.queues) this.createQueue(queue);
    for (const topic of entities.topics) this.createTopic(topic);
  }

  get clock(): Clock {
    return this.#around.clock;
  }

  get store(): Store {
    return this.#around.store;
  }

  find({ entity, subqueue }: Pick<Address, "entity" | "subqueue">): Entity | undefined {
    const found = this.#findEntity(entity);
    if (!found || subqueue === undefined) return found;
    if (found.kind === "topic") return undefined;
    const queue = subqueue === "dead-letters" ? found.queue.deadLetters : found.queue.transferDeadLetters;
    return queue && { kind: "dead-letters", queue };
  }

  #findEntity(path: string): Entity | undefined {
    const queue = this.queues.get(path);
    if (queue) return { kind: "queue", queue };
    const topic = this.topics.get(path);
    if (topic) return { kind: "topic", queue: topic.intake, topic };
    const [, topicName, name] = /^(.+)\/subscriptions\/([^/]+)$/.exec(path) ?? [];
    const subscription = this.topics.get(topicName ?? "")?.subscriptions.get(name ?? "");
    return subscription && { kind: "subscription", queue: subscription.queue, subscription };
  }

  #destination(path: string): MessageQueue | undefined {
    const key = path.toLowerCase();
    return this.queues.get(key) ?? this.topics.get(key)?.intake;
  }

  /** Takes all of these messages or, when one may not be sent, none; says under which numbers. */
  send(queue: MessageQueue, contents: readonly MessageContent[]): readonly number[] {
    for (const content of contents) checkSend(queue, content);
    return contents.map((content) => submit(queue, content));
  }

  createQueue({ name, settings }: QueueDescription): MessageQueue {
    this.#assertFree(name);
    const queue = new MessageQueue(name, settings, this.#around);
    this.queues.set(name.toLowerCase(), queue);
    return queue;
  }

  createTopic({ name, settings, subscriptions }: TopicDescription): Topic {
    this.#assertFree(name);
    const topic = new Topic(name, settings, this.#around);
    for (const subscription of subscriptions) topic.add(subscription, this.#around);
    this.topics.set(name.toLowerCase(), topic);
    return topic;
  }

  createSubscription(topic: Topic, description: SubscriptionDescription): Subscription {
    return topic.add(description, this.#around);
  }

  deleteQueue(name: string): MessageQueue {
    const queue = this.queues.get(name.toLowerCase());
    if (!queue) throw entityNotFound(name);
    this.queues.delete(queue.key);
    queue.close(entityNotFound(queue.path));
    return queue;
  }

  deleteTopic(name: string): Topic {
    const topic = this.topics.get(name.toLowerCase());
    if (!topic) throw entityNotFound(name);
    this.topics.delete(topic.intake.key);
    topic.intake.close(entityNotFound(topic.name));
    for (const { queue } of topic.subscriptions.values()) queue.close(entityNotFound(queue.path));
    return topic;
  }

  deleteSubscription(topic: Topic, name: string): Subscription {
    const subscription = topic.remove(name);
    subscription.queue.close(entityNotFound(subscription.queue.path));
    return subscription;
  }

  /** Remembers an entity that was created at run time, also for the next start. */
  save(path: string, entity: CreatedEntity): void {
    this.#created.add(path);
    this.store.saveEntity(path, entity);
  }

  /** Remembers how such an entity was changed; changes to configured ones last as long as the process. */
  saveIfCreated(path: string, entity: CreatedEntity): void {
    if (this.#created.has(path)) this.store.saveEntity(path, entity);
  }

  /** An entity is gone, with everything below it. */
  forget(path: string): void {
    for (const known of this.#created)
      if (known === path || known.startsWith(`${path}/`)) this.#created.delete(known);
    this.store.dropEntity(path);
  }

  /** Stops every alarm; nothing moves by itself any more. */
  close(): void {
    const stopped = entityNotFound("namespace");
    for (const queue of this.allQueues()) queue.close(stopped);
  }

  /** Every place that holds messages, subqueues included. */
  *allQueues(): Iterable<MessageQueue> {
    for (const queue of this.queues.values()) yield* withSubqueues(queue);
    for (const topic of this.topics.values()) {
      yield* withSubqueues(topic.intake);
      for (const subscription of topic.subscriptions.values()) yield* withSubqueues(subscription.queue);
    }
  }

  #assertFree(name: string): void {
    const key = name.toLowerCase();
    if (this.queues.has(key) || this.topics.has(key)) throw entityAlreadyExists(name);
  }
}

function* withSubqueues(queue: MessageQueue): Iterable<MessageQueue> {
  yield queue;
  if (queue.deadLetters) yield queue.deadLetters;
  if (queue.transferDeadLetters) yield queue.transferDeadLetters;
}
