import { parseJsonWithComments } from "../../json-with-comments.ts";
import { compileRule } from "../entities/rule.ts";
import {
  defaultQueueSettings,
  defaultRule,
  defaultSubscriptionSettings,
  defaultTopicSettings,
  entityStatuses,
  type CorrelationFilter,
  type NamespaceEntities,
  type QueueDescription,
  type RuleDescription,
  type RuleFilter,
  type SubscriptionDescription,
  type TopicDescription,
} from "../entities/settings.ts";
import { Fields } from "./fields.ts";

/** A configuration that cannot be used, with every problem in it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const defaultDuplicateWindowMs = 600_000;

/**
 * Reads the configuration file of Microsoft's emulator. What it leaves out has the default of the service itself, and
 * locks, windows and times to live may be shorter or longer than the emulator allows.
 * https://learn.microsoft.com/azure/service-bus-messaging/overview-emulator
 */
export function readConfig(text: string): NamespaceEntities {
  const problems: string[] = [];
  const root = new Fields("$", parsed(text), problems);
  const userConfig = root.object("UserConfig");
  const [namespace, ...others] = userConfig.requiredList("Namespaces");
  if (!namespace || others.length > 0)
    problems.push("$.UserConfig.Namespaces must hold exactly one namespace");
  const entities: NamespaceEntities = {
    queues: namespace?.requiredList("Queues").map(readQueue) ?? [],
    topics: namespace?.requiredList("Topics").map((fields) => readTopic(fields, problems)) ?? [],
  };
  namespace?.string("Name");
  // Where the emulator writes its log; this server has one place for it.
  userConfig.object("Logging");
  for (const fields of [root, userConfig, namespace]) fields?.end();
  checkNames(entities, problems);
  if (problems.length > 0) throw new ConfigError(problems.join("; "));
  return entities;
}

function parsed(text: string): unknown {
  try {
    return parseJsonWithComments(text);
  } catch (error) {
    throw new ConfigError(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readQueue(fields: Fields): QueueDescription {
  const properties = fields.object("Properties");
  const defaults = defaultQueueSettings;
  const settings = {
    ...readReceiveSettings(properties, defaults),
    duplicateWindowMs: readDuplicateWindow(properties),
    maxSizeMegabytes: properties.positiveInteger("MaxSizeInMegabytes", defaults.maxSizeMegabytes),
  };
  const name = fields.name();
  properties.end();
  fields.end();
  return { name, settings };
}

/** What queues and subscriptions have in common. */
function readReceiveSettings<
  T extends Omit<QueueDescription["settings"], "duplicateWindowMs" | "maxSizeMegabytes">,
>(properties: Fields, defaults: T): T {
  return {
    ...defaults,
    lockDurationMs: properties.duration("LockDuration", defaults.lockDurationMs),
    maxDeliveryCount: properties.positiveInteger("MaxDeliveryCount", defaults.maxDeliveryCount),
    defaultTtlMs: properties.duration("DefaultMessageTimeToLive", defaults.defaultTtlMs),
    deadLetteringOnExpiration: properties.boolean("DeadLetteringOnMessageExpiration", false),
    requiresSession: properties.boolean("RequiresSession", false),
    forwardTo: properties.string("ForwardTo"),
    forwardDeadLettersTo: properties.string("ForwardDeadLetteredMessagesTo"),
    status: properties.oneOf("Status", entityStatuses, "Active"),
  };
}

function readDuplicateWindow(properties: Fields): number | undefined {
  const windowMs = properties.duration("DuplicateDetectionHistoryTimeWindow", defaultDuplicateWindowMs);
  return properties.boolean("RequiresDuplicateDetection", false) ? windowMs : undefined;
}

function readTopic(fields: Fields, problems: string[]): TopicDescription {
  const properties = fields.object("Properties");
  const settings = {
    defaultTtlMs: properties.duration("DefaultMessageTimeToLive", defaultTopicSettings.defaultTtlMs),
    duplicateWindowMs: readDuplicateWindow(properties),
    maxSizeMegabytes: properties.positiveInteger("MaxSizeInMegabytes", defaultTopicSettings.maxSizeMegabytes),
    status: properties.oneOf("Status", entityStatuses, "Active"),
  };
  const name = fields.name();
  const subscriptions = fields.list("Subscriptions").map((item) => readSubscription(item, problems));
  properties.end();
  fields.end();
  return { name, settings, subscriptions };
}

function readSubscription(fields: Fields, problems: string[]): SubscriptionDescription {
  const properties = fields.object("Properties");
  const settings = {
    ...readReceiveSettings(properties, defaultSubscriptionSettings),
    deadLetteringOnFilterErrors: properties.boolean("DeadLetteringOnFilterEvaluationExceptions", true),
  };
  const name = fields.name();
  const rules = fields.list("Rules").map((item) => readRule(item, problems));
  properties.end();
  fields.end();
  return { name, settings, rules: rules.length > 0 ? rules : [defaultRule] };
}

function readRule(fields: Fields, problems: string[]): RuleDescription {
  const name = fields.name();
  const properties = fields.object("Properties");
  const kind = properties.oneOf("FilterType", ["Sql", "Correlation"], "Sql");
  const filter =
    kind === "Sql"
      ? readSqlFilter(properties)
      : readCorrelationFilter(properties.object("CorrelationFilter"));
  const actionFields = properties.object("Action");
  const action = actionFields.string("SqlExpression");
  actionFields.end();
  properties.end();
  fields.end();
  const rule = { name, filter, action };
  try {
    compileRule(rule);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  return rule;
}

function readSqlFilter(properties: Fields): RuleFilter {
  const fields = properties.object("SqlFilter");
  const expression = fields.string("SqlExpression") ?? "1=1";
  fields.end();
  return { kind: "sql", expression };
}

function readCorrelationFilter(fields: Fields): CorrelationFilter {
  const given = {
    correlationId: fields.string("CorrelationId"),
    messageId: fields.string("MessageId"),
    to: fields.string("To"),
    replyTo: fields.string("ReplyTo"),
    subject: fields.string("Label") ?? fields.string("Subject"),
    sessionId: fields.string("SessionId"),
    replyToSessionId: fields.string("ReplyToSessionId"),
    contentType: fields.string("ContentType"),
  };
  const properties = fields.object("Properties").scalars();
  fields.end();
  return {
    kind: "correlation",
    fields: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    properties,
  };
}

/** Names must be unique, and what is forwarded must have somewhere to go. */
function checkNames({ queues, topics }: NamespaceEntities, problems: string[]): void {
  const names = [...queues, ...topics].map(({ name }) => name.toLowerCase());
  const known = new Set(names);
  for (const name of known)
    if (names.filter((other) => other === name).length > 1) problems.push(`'${name}' is there twice`);
  for (const { name, subscriptions } of topics) {
    const seen = new Set(subscriptions.map((subscription) => subscription.name.toLowerCase()));
    if (seen.size < subscriptions.length) problems.push(`'${name}' has two subscriptions of the same name`);
  }
  const forwarding = [...queues, ...topics.flatMap(({ subscriptions }) => subscriptions)];
  for (const { name, settings } of forwarding) {
    for (const target of [settings.forwardTo, settings.forwardDeadLettersTo]) {
      if (target !== undefined && !known.has(target.toLowerCase())) {
        problems.push(`'${name}' forwards to '${target}', which does not exist`);
      }
    }
  }
}
