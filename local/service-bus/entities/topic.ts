import type { MessageContent } from "../codec/message-content.ts";
import { entityAlreadyExists, entityNotFound } from "../errors.ts";
import { SqlEvaluationError } from "../sql-filter/evaluate.ts";
import { filterFailed } from "./dead-letter-reasons.ts";
import { MessageQueue, type Arrival, type Surroundings } from "./queue.ts";
import { compileRule, copiesFor, type Rule } from "./rule.ts";
import {
  defaultQueueSettings,
  type RuleDescription,
  type SubscriptionDescription,
  type SubscriptionSettings,
  type TopicSettings,
} from "./settings.ts";
import { accept, placeDead } from "./submission.ts";

/** Takes messages in and copies each to the subscriptions whose rules select it. */
export class Topic {
  readonly name: string;
  /** Holds scheduled messages, numbers and duplicate ids; what is due goes to the subscriptions. */
  readonly intake: MessageQueue;
  readonly subscriptions = new Map<string, Subscription>();
  settings: TopicSettings;

  constructor(name: string, settings: TopicSettings, around: Surroundings) {
    this.name = name;
    this.settings = settings;
    this.intake = new MessageQueue(name, { ...defaultQueueSettings, ...settings }, around, {
      divert: (content, arrival) => this.#publish(content, arrival),
    });
  }

  reconfigure(settings: TopicSettings): void {
    this.settings = settings;
    this.intake.reconfigure({ ...this.intake.settings, ...settings });
  }

  add(description: SubscriptionDescription, around: Surroundings): Subscription {
    const key = description.name.toLowerCase();
    const path = `${this.name}/Subscriptions/${description.name}`;
    if (this.subscriptions.has(key)) throw entityAlreadyExists(path);
    const subscription = new Subscription(path, description, around);
    this.subscriptions.set(key, subscription);
    return subscription;
  }

  remove(name: string): Subscription {
    const subscription = this.subscriptions.get(name.toLowerCase());
    if (!subscription) throw entityNotFound(`${this.name}/Subscriptions/${name}`);
    this.subscriptions.delete(name.toLowerCase());
    return subscription;
  }

  #publish(content: MessageContent, arrival: Arrival): void {
    const onward = {
      ...arrival,
      ttlCapMs: Math.min(arrival.ttlCapMs ?? Infinity, this.settings.defaultTtlMs),
    };
    for (const subscription of this.subscriptions.values()) subscription.offer(content, onward);
  }
}

/** A queue fed by a topic through rules. */
export class Subscription {
  readonly name: string;
  readonly queue: MessageQueue;
  /** The rules it was configured with, to tell run-time changes from a changed configuration. */
  readonly configured: readonly RuleDescription[];
  settings: SubscriptionSettings;
  readonly #rules = new Map<string, Rule>();

  constructor(path: string, description: SubscriptionDescription, around: Surroundings) {
    this.name = description.name;
    this.settings = description.settings;
    this.configured = description.rules;
    this.queue = new MessageQueue(path, { ...defaultQueueSettings, ...description.settings }, around);
    this.replaceRules(description.rules);
  }

  get rules(): readonly RuleDescription[] {
    return Array.from(this.#rules.values(), ({ description }) => description);
  }

  rule(name: string): RuleDescription | undefined {
    return this.#rules.get(name.toLowerCase())?.description;
  }

  reconfigure(settings: SubscriptionSettings): void {
    this.settings = settings;
    this.queue.reconfigure({ ...this.queue.settings, ...settings });
  }

  /** Sets the rules without recording it, as configuration and restart do. */
  replaceRules(rules: readonly RuleDescription[]): void {
    this.#rules.clear();
    for (const rule of rules) this.#rules.set(rule.name.toLowerCase(), compileRule(rule));
  }

  addRule(rule: RuleDescription): void {
    if (this.#rules.has(rule.name.toLowerCase()))
      throw entityAlreadyExists(`${this.queue.path}/Rules/${rule.name}`);
    this.putRule(rule);
  }

  putRule(rule: RuleDescription): void {
    this.#rules.set(rule.name.toLowerCase(), compileRule(rule));
    this.#saveRules();
  }

  removeRule(name: string): void {
    if (!this.#rules.delete(name.toLowerCase())) throw entityNotFound(`${this.queue.path}/Rules/${name}`);
    this.#saveRules();
  }

  #saveRules(): void {
    this.queue.store.saveRules(this.queue.key, this.configured, this.rules);
  }

  /** Takes the copies its rules select; a rule that fails on a message dead-letters it, if so configured. */
  offer(content: MessageContent, arrival: Arrival): void {
    const { status } = this.settings;
    if (status === "Disabled" || status === "SendDisabled") return;
    try {
      for (const copy of copiesFor(this.#rules.values(), content)) accept(this.queue, copy, arrival);
    } catch (error) {
      if (!(error instanceof SqlEvaluationError)) throw error;
      const { deadLetters } = this.queue;
      if (this.settings.deadLetteringOnFilterErrors && deadLetters) {
        placeDead(deadLetters, content, filterFailed(error.message), arrival);
      }
    }
  }
}
