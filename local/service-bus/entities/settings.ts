/** What an entity was created with. Durations are milliseconds; `Infinity` stands for "never". */
export const entityStatuses = ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"] as const;
export type EntityStatus = (typeof entityStatuses)[number];

export interface QueueSettings {
  readonly lockDurationMs: number;
  readonly maxDeliveryCount: number;
  readonly defaultTtlMs: number;
  readonly deadLetteringOnExpiration: boolean;
  readonly requiresSession: boolean;
  /** Absent when the entity does not look for duplicates. */
  readonly duplicateWindowMs: number | undefined;
  readonly forwardTo: string | undefined;
  readonly forwardDeadLettersTo: string | undefined;
  readonly maxSizeMegabytes: number;
  readonly status: EntityStatus;
}

export interface TopicSettings {
  readonly defaultTtlMs: number;
  readonly duplicateWindowMs: number | undefined;
  readonly maxSizeMegabytes: number;
  readonly status: EntityStatus;
}

export interface SubscriptionSettings extends Omit<QueueSettings, "duplicateWindowMs" | "maxSizeMegabytes"> {
  readonly deadLetteringOnFilterErrors: boolean;
}

export const correlationFields = [
  "correlationId",
  "messageId",
  "to",
  "replyTo",
  "subject",
  "sessionId",
  "replyToSessionId",
  "contentType",
] as const;
export type CorrelationField = (typeof correlationFields)[number];

export type CorrelationValue = string | number | boolean | Date;

export interface CorrelationFilter {
  readonly kind: "correlation";
  readonly fields: Readonly<Partial<Record<CorrelationField, string>>>;
  readonly properties: Readonly<Record<string, CorrelationValue>>;
}

export type RuleFilter =
  | { readonly kind: "true" }
  | { readonly kind: "false" }
  | { readonly kind: "sql"; readonly expression: string }
  | CorrelationFilter;

export interface RuleDescription {
  readonly name: string;
  readonly filter: RuleFilter;
  readonly action: string | undefined;
}

export interface QueueDescription {
  readonly name: string;
  readonly settings: QueueSettings;
}

export interface SubscriptionDescription {
  readonly name: string;
  readonly settings: SubscriptionSettings;
  readonly rules: readonly RuleDescription[];
}

export interface TopicDescription {
  readonly name: string;
  readonly settings: TopicSettings;
  readonly subscriptions: readonly SubscriptionDescription[];
}

/** Everything a namespace holds: what the configuration file says. */
export interface NamespaceEntities {
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly TopicDescription[];
}

export const defaultQueueSettings: QueueSettings = {
  lockDurationMs: 60_000,
  maxDeliveryCount: 10,
  defaultTtlMs: Infinity,
  deadLetteringOnExpiration: false,
  requiresSession: false,
  duplicateWindowMs: undefined,
  forwardTo: undefined,
  forwardDeadLettersTo: undefined,
  maxSizeMegabytes: 1024,
  status: "Active",
};

export const defaultTopicSettings: TopicSettings = {
  defaultTtlMs: Infinity,
  duplicateWindowMs: undefined,
  maxSizeMegabytes: 1024,
  status: "Active",
};

export const defaultSubscriptionSettings: SubscriptionSettings = {
  lockDurationMs: 60_000,
  maxDeliveryCount: 10,
  defaultTtlMs: Infinity,
  deadLetteringOnExpiration: false,
  requiresSession: false,
  forwardTo: undefined,
  forwardDeadLettersTo: undefined,
  status: "Active",
  deadLetteringOnFilterErrors: true,
};

/** The rule a subscription has when none is given: everything matches. */
export const defaultRule: RuleDescription = { name: "$Default", filter: { kind: "true" }, action: undefined };
