import type { MessageQueue } from "../entities/queue.ts";
import {
  entityStatuses,
  type QueueSettings,
  type SubscriptionSettings,
  type TopicSettings,
} from "../entities/settings.ts";
import type { Subscription, Topic } from "../entities/topic.ts";
import { invalidArgument } from "../errors.ts";
import { formatDuration, parseDuration } from "../iso-duration.ts";
import { child, tag, type XmlElement } from "./xml.ts";

const countNamespace = "http://schemas.microsoft.com/netservices/2011/06/servicebus";
const defaultDuplicateWindowMs = 600_000;

/** Reads the settings a client sends; what it leaves out stays as it is. */
export function readQueueSettings(xml: XmlElement, base: QueueSettings): QueueSettings {
  return {
    ...readReceiveSettings(xml, base),
    duplicateWindowMs: readDuplicateWindow(xml, base.duplicateWindowMs),
    maxSizeMegabytes: integer(xml, "MaxSizeInMegabytes", base.maxSizeMegabytes),
  };
}

export function readTopicSettings(xml: XmlElement, base: TopicSettings): TopicSettings {
  return {
    defaultTtlMs: duration(xml, "DefaultMessageTimeToLive", base.defaultTtlMs),
    duplicateWindowMs: readDuplicateWindow(xml, base.duplicateWindowMs),
    maxSizeMegabytes: integer(xml, "MaxSizeInMegabytes", base.maxSizeMegabytes),
    status: status(xml, base.status),
  };
}

export function readSubscriptionSettings(xml: XmlElement, base: SubscriptionSettings): SubscriptionSettings {
  return {
    ...readReceiveSettings(xml, base),
    deadLetteringOnFilterErrors: boolean(
      xml,
      "DeadLetteringOnFilterEvaluationExceptions",
      base.deadLetteringOnFilterErrors,
    ),
  };
}

function readReceiveSettings<T extends Omit<SubscriptionSettings, "deadLetteringOnFilterErrors">>(
  xml: XmlElement,
  base: T,
): T {
  return {
    ...base,
    lockDurationMs: duration(xml, "LockDuration", base.lockDurationMs),
    maxDeliveryCount: integer(xml, "MaxDeliveryCount", base.maxDeliveryCount),
    defaultTtlMs: duration(xml, "DefaultMessageTimeToLive", base.defaultTtlMs),
    deadLetteringOnExpiration: boolean(
      xml,
      "DeadLetteringOnMessageExpiration",
      base.deadLetteringOnExpiration,
    ),
    requiresSession: boolean(xml, "RequiresSession", base.requiresSession),
    forwardTo: target(xml, "ForwardTo", base.forwardTo),
    forwardDeadLettersTo: target(xml, "ForwardDeadLetteredMessagesTo", base.forwardDeadLettersTo),
    status: status(xml, base.status),
  };
}

function readDuplicateWindow(xml: XmlElement, base: number | undefined): number | undefined {
  const windowMs = duration(xml, "DuplicateDetectionHistoryTimeWindow", base ?? defaultDuplicateWindowMs);
  return boolean(xml, "RequiresDuplicateDetection", base !== undefined) ? windowMs : undefined;
}

const text = (xml: XmlElement, name: string): string | undefined => {
  const value = child(xml, name)?.text;
  return value === "" ? undefined : value;
};

function duration(xml: XmlElement, name: string, fallback: number): number {
  const value = text(xml, name);
  const parsed = value === undefined ? fallback : parseDuration(value);
  if (parsed === undefined || parsed <= 0) throw invalidArgument(`${name} must be an ISO 8601 duration.`);
  return parsed;
}

function integer(xml: XmlElement, name: string, fallback: number): number {
  const value = Number(text(xml, name) ?? fallback);
  if (!Number.isInteger(value) || value <= 0) throw invalidArgument(`${name} must be a positive integer.`);
  return value;
}

const boolean = (xml: XmlElement, name: string, fallback: boolean): boolean =>
  (text(xml, name) ?? String(fallback)).toLowerCase() === "true";

/** Clients send the address of the target, of which only the path counts. */
const target = (xml: XmlElement, name: string, fallback: string | undefined): string | undefined =>
  child(xml, name) ? text(xml, name)?.replace(/^[a-z]+:\/\/[^/]*\//i, "") : fallback;

const status = (xml: XmlElement, fallback: QueueSettings["status"]): QueueSettings["status"] =>
  entityStatuses.find((known) => known === text(xml, "Status")) ?? fallback;

export function queueXml(queue: MessageQueue): string {
  const { settings } = queue;
  return (
    tag("LockDuration", formatDuration(settings.lockDurationMs)) +
    tag("MaxSizeInMegabytes", settings.maxSizeMegabytes) +
    duplicateXml(settings.duplicateWindowMs) +
    tag("RequiresSession", settings.requiresSession) +
    tag("DefaultMessageTimeToLive", formatDuration(settings.defaultTtlMs)) +
    tag("DeadLetteringOnMessageExpiration", settings.deadLetteringOnExpiration) +
    tag("MaxDeliveryCount", settings.maxDeliveryCount) +
    tag("EnableBatchedOperations", true) +
    tag("SizeInBytes", queue.bytes + (queue.deadLetters?.bytes ?? 0)) +
    tag("Status", settings.status) +
    tag("ForwardTo", settings.forwardTo) +
    timesXml(queue) +
    tag("EnablePartitioning", false) +
    tag("ForwardDeadLetteredMessagesTo", settings.forwardDeadLettersTo) +
    tag("EntityAvailabilityStatus", "Available") +
    tag("EnableExpress", false) +
    countsXml(queue)
  );
}

export function topicXml({ settings, intake, subscriptions }: Topic): string {
  return (
    tag("DefaultMessageTimeToLive", formatDuration(settings.defaultTtlMs)) +
    tag("MaxSizeInMegabytes", settings.maxSizeMegabytes) +
    duplicateXml(settings.duplicateWindowMs) +
    tag("EnableBatchedOperations", true) +
    tag("SizeInBytes", intake.bytes) +
    tag("Status", settings.status) +
    timesXml(intake) +
    tag("SupportOrdering", true) +
    tag("SubscriptionCount", subscriptions.size) +
    tag("EnablePartitioning", false) +
    tag("EntityAvailabilityStatus", "Available") +
    tag("EnableExpress", false) +
    countsXml(intake)
  );
}

export function subscriptionXml({ settings, queue }: Subscription): string {
  return (
    tag("LockDuration", formatDuration(settings.lockDurationMs)) +
    tag("RequiresSession", settings.requiresSession) +
    tag("DefaultMessageTimeToLive", formatDuration(settings.defaultTtlMs)) +
    tag("DeadLetteringOnMessageExpiration", settings.deadLetteringOnExpiration) +
    tag("DeadLetteringOnFilterEvaluationExceptions", settings.deadLetteringOnFilterErrors) +
    tag("MaxDeliveryCount", settings.maxDeliveryCount) +
    tag("EnableBatchedOperations", true) +
    tag("Status", settings.status) +
    tag("ForwardTo", settings.forwardTo) +
    timesXml(queue) +
    tag("ForwardDeadLetteredMessagesTo", settings.forwardDeadLettersTo) +
    tag("AutoDeleteOnIdle", formatDuration(Infinity)) +
    tag("EntityAvailabilityStatus", "Available") +
    countsXml(queue)
  );
}

const duplicateXml = (windowMs: number | undefined): string =>
  tag("RequiresDuplicateDetection", windowMs !== undefined) +
  tag("DuplicateDetectionHistoryTimeWindow", formatDuration(windowMs ?? defaultDuplicateWindowMs));

const timesXml = ({ createdAt, accessedAt }: MessageQueue): string =>
  tag("CreatedAt", new Date(createdAt).toISOString()) +
  tag("UpdatedAt", new Date(createdAt).toISOString()) +
  tag("AccessedAt", new Date(accessedAt).toISOString());

/** Locked and deferred messages count as active, as they do in the service. */
function countsXml(queue: MessageQueue): string {
  const dead = queue.deadLetters?.messages.size ?? 0;
  const transferDead = queue.transferDeadLetters?.messages.size ?? 0;
  const counts =
    tag("d2p1:ActiveMessageCount", queue.messages.size - queue.scheduledCount) +
    tag("d2p1:DeadLetterMessageCount", dead) +
    tag("d2p1:ScheduledMessageCount", queue.scheduledCount) +
    tag("d2p1:TransferMessageCount", 0) +
    tag("d2p1:TransferDeadLetterMessageCount", transferDead);
  return (
    tag("MessageCount", queue.messages.size + dead + transferDead) +
    `<CountDetails xmlns:d2p1="${countNamespace}">${counts}</CountDetails>`
  );
}
