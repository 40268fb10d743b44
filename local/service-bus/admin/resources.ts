import type { Broker } from "../entities/broker.ts";
import {
  defaultQueueSettings,
  defaultRule,
  defaultSubscriptionSettings,
  defaultTopicSettings,
  type QueueSettings,
} from "../entities/settings.ts";
import type { Subscription, Topic } from "../entities/topic.ts";
import { entityAlreadyExists, entityNotFound, invalidArgument } from "../errors.ts";
import { readDescription, type Entry } from "./atom.ts";
import { readRule, ruleXml } from "./rule-xml.ts";
import {
  queueXml,
  readQueueSettings,
  readSubscriptionSettings,
  readTopicSettings,
  subscriptionXml,
  topicXml,
} from "./settings-xml.ts";
import { child } from "./xml.ts";

/** What a request can name: one entity, or all of a kind. */
export interface Resource {
  get(): Entry;
  create(body: string): Entry;
  update(body: string): Entry;
  remove(): void;
}

/** A queue or a topic; which of the two a new one becomes, its description says. */
export function entityResource(broker: Broker, name: string): Resource {
  const queue = broker.queues.get(name.toLowerCase());
  const topic = broker.topics.get(name.toLowerCase());
  return {
    get() {
      if (queue)
        return {
          path: queue.path,
          kind: "QueueDescription",
          content: queueXml(queue),
          updatedAt: queue.createdAt,
        };
      if (topic) return topicEntry(topic);
      throw entityNotFound(name);
    },
    create(body) {
      if (queue || topic) throw entityAlreadyExists(name);
      if (body.includes("<TopicDescription")) createTopic(broker, name, body);
      else createQueue(broker, name, body);
      return entityResource(broker, name).get();
    },
    update(body) {
      if (queue) {
        const settings = readQueueSettings(readDescription(body, "QueueDescription"), queue.settings);
        checkFixed(queue.settings, settings);
        checkTargets(broker, settings);
        queue.reconfigure(settings);
        broker.saveIfCreated(queue.key, { kind: "queue", description: { name: queue.path, settings } });
      } else if (topic) {
        topic.reconfigure(readTopicSettings(readDescription(body, "TopicDescription"), topic.settings));
        const description = { name: topic.name, settings: topic.settings, subscriptions: [] };
        broker.saveIfCreated(topic.intake.key, { kind: "topic", description });
      }
      return this.get();
    },
    remove() {
      if (queue) broker.deleteQueue(name);
      else broker.deleteTopic(name);
      broker.forget(name.toLowerCase());
    },
  };
}

function createQueue(broker: Broker, name: string, body: string): void {
  const settings = readQueueSettings(readDescription(body, "QueueDescription"), defaultQueueSettings);
  checkTargets(broker, settings);
  const description = { name, settings };
  broker.createQueue(description);
  broker.save(name.toLowerCase(), { kind: "queue", description });
}

function createTopic(broker: Broker, name: string, body: string): void {
  const settings = readTopicSettings(readDescription(body, "TopicDescription"), defaultTopicSettings);
  const description = { name, settings, subscriptions: [] };
  broker.createTopic(description);
  broker.save(name.toLowerCase(), { kind: "topic", description });
}

export function subscriptionResource(broker: Broker, topicName: string, name: string): Resource {
  const topic = findTopic(broker, topicName);
  const subscription = topic.subscriptions.get(name.toLowerCase());
  const found = (): Subscription => {
    if (!subscription) throw entityNotFound(`${topicName}/Subscriptions/${name}`);
    return subscription;
  };
  const key = `${topic.intake.key}/subscriptions/${name.toLowerCase()}`;
  return {
    get: () => subscriptionEntry(found()),
    create(body) {
      const xml = readDescription(body, "SubscriptionDescription");
      const settings = readSubscriptionSettings(xml, defaultSubscriptionSettings);
      checkTargets(broker, settings);
      const rule = child(xml, "DefaultRuleDescription");
      const rules = [rule ? readRule(child(rule, "Name")?.text ?? "$Default", rule) : defaultRule];
      const description = { name, settings, rules };
      const created = broker.createSubscription(topic, description);
      broker.save(key, { kind: "subscription", topic: topic.name, description });
      return subscriptionEntry(created);
    },
    update(body) {
      const current = found();
      const settings = readSubscriptionSettings(
        readDescription(body, "SubscriptionDescription"),
        current.settings,
      );
      checkFixed(current.settings, settings);
      checkTargets(broker, settings);
      current.reconfigure(settings);
      const description = { name: current.name, settings, rules: current.configured };
      broker.saveIfCreated(key, { kind: "subscription", topic: topic.name, description });
      return subscriptionEntry(current);
    },
    remove() {
      broker.deleteSubscription(topic, name);
      broker.forget(key);
    },
  };
}

export function ruleResource(
  broker: Broker,
  topicName: string,
  subscriptionName: string,
  name: string,
): Resource {
  const subscription = findSubscription(broker, topicName, subscriptionName);
  const path = `${subscription.queue.path}/Rules/${name}`;
  const entry = (): Entry => {
    const rule = subscription.rule(name);
    if (!rule) throw entityNotFound(path);
    return { path, kind: "RuleDescription", content: ruleXml(rule), updatedAt: subscription.queue.createdAt };
  };
  return {
    get: entry,
    create(body) {
      subscription.addRule(readRule(name, readDescription(body, "RuleDescription")));
      return entry();
    },
    update(body) {
      entry();
      subscription.putRule(readRule(name, readDescription(body, "RuleDescription")));
      return entry();
    },
    remove: () => subscription.removeRule(name),
  };
}

export function listEntities(broker: Broker, kind: "queues" | "topics"): readonly Entry[] {
  const names =
    kind === "queues"
      ? Array.from(broker.queues.values(), ({ path }) => path)
      : Array.from(broker.topics.values(), ({ name }) => name);
  return names.map((name) => entityResource(broker, name).get());
}

export const listSubscriptions = (broker: Broker, topic: string): readonly Entry[] =>
  Array.from(findTopic(broker, topic).subscriptions.values(), subscriptionEntry);

export const listRules = (broker: Broker, topic: string, subscription: string): readonly Entry[] =>
  findSubscription(broker, topic, subscription).rules.map(({ name }) =>
    ruleResource(broker, topic, subscription, name).get(),
  );

const topicEntry = (topic: Topic): Entry => ({
  path: topic.name,
  kind: "TopicDescription",
  content: topicXml(topic),
  updatedAt: topic.intake.createdAt,
});

const subscriptionEntry = (subscription: Subscription): Entry => ({
  path: subscription.queue.path,
  kind: "SubscriptionDescription",
  content: subscriptionXml(subscription),
  updatedAt: subscription.queue.createdAt,
});

function findTopic(broker: Broker, name: string): Topic {
  const topic = broker.topics.get(name.toLowerCase());
  if (!topic) throw entityNotFound(name);
  return topic;
}

function findSubscription(broker: Broker, topic: string, name: string): Subscription {
  const subscription = findTopic(broker, topic).subscriptions.get(name.toLowerCase());
  if (!subscription) throw entityNotFound(`${topic}/Subscriptions/${name}`);
  return subscription;
}

/** Some settings are decided once, when the entity is created. */
function checkFixed(
  before: Pick<QueueSettings, "requiresSession"> & Partial<QueueSettings>,
  after: Pick<QueueSettings, "requiresSession"> & Partial<QueueSettings>,
): void {
  const duplicatesChanged =
    (before.duplicateWindowMs === undefined) !== (after.duplicateWindowMs === undefined);
  if (before.requiresSession !== after.requiresSession || duplicatesChanged) {
    throw invalidArgument("RequiresSession and RequiresDuplicateDetection cannot be changed after creation.");
  }
}

function checkTargets(
  broker: Broker,
  { forwardTo, forwardDeadLettersTo }: Pick<QueueSettings, "forwardTo" | "forwardDeadLettersTo">,
): void {
  for (const target of [forwardTo, forwardDeadLettersTo]) {
    const key = target?.toLowerCase();
    if (key !== undefined && !broker.queues.has(key) && !broker.topics.has(key)) {
      throw invalidArgument(`The forwarding target '${target}' could not be found.`);
    }
  }
}
