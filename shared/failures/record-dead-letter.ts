import { stableId } from "../envelope/ids.ts";
import { isEnvelope } from "../envelope/read-envelope.ts";
import { type FailureReport, recordFailure } from "../ledgers/failures.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import type { BatchMessage } from "../work/all-of.ts";
import { isKey, readWorkItem } from "../work/read-work-item.ts";
import { escalate } from "./escalate.ts";

interface DeadMessage {
  /** The queue or subscription it was for. */
  readonly entity: string;
  readonly message: unknown;
  readonly messageId: string;
  readonly deliveryCount: number;
  readonly reason: string;
  readonly description: string;
}

/** Where messages go that belong to no tenant: somebody else put them on the bus. */
export const strayTenant = "platform";

/** Records a message from a dead-letter subqueue. */
export function recordDeadLetter(
  services: Services,
  log: Log,
  entity: string,
  message: unknown,
  metadata: Readonly<Record<string, unknown>>,
): Promise<void> {
  // The bus writes its reasons where a sender writes its own properties.
  const properties = new Map<string, unknown>(Object.entries(metadata["applicationProperties"] ?? {}));
  const count = Number(metadata["deliveryCount"]);
  return record(services, log, {
    entity,
    message,
    messageId: textOf(metadata["messageId"], ""),
    deliveryCount: Number.isInteger(count) ? count : 1,
    reason: textOf(properties.get("deadLetterReason"), "UNKNOWN"),
    description: textOf(properties.get("deadLetterErrorDescription"), ""),
  });
}

/** Records a message of a batch that has failed so often that the bus would soon give up on the whole batch. */
export function recordGivenUp(
  services: Services,
  log: Log,
  entity: string,
  { message, messageId, deliveryCount }: BatchMessage,
  error: Error,
): Promise<void> {
  const why = { reason: "CANNOT_BE_PROCESSED", description: error.message };
  return record(services, log, { entity, message, messageId, deliveryCount, ...why });
}

/** A dead letter with all the message held. */
async function record(services: Services, log: Log, dead: DeadMessage): Promise<void> {
  const { entity, reason } = dead;
  const now = new Date();
  const failure = await recordFailure(services.failures, {
    ...contentsOf(dead),
    state: "Parked",
    classification: "Poison",
    code: "BUS_DEAD_LETTER",
    message: `The bus gave up: ${reason}. ${dead.description}`.trim(),
    currentStep: entity,
    attempts: dead.deliveryCount,
    lastFailedAt: now,
    mayHaveHappened: true,
  });
  await writeTimeline(services.commits.timeline, failure.tenantId, failure.correlationId, [
    {
      at: now,
      kind: "parked",
      stepId: failure.failureId,
      routeName: failure.routeName,
      details: { failureId: failure.failureId, code: failure.code, reason },
    },
  ]);
  await escalate(services, failure, now);
  log.event("bus.dead-lettered", {
    tenantId: failure.tenantId,
    correlationId: failure.correlationId,
    routeName: failure.routeName,
    objectType: failure.objectType,
    objectId: failure.objectId,
    errorCode: reason,
    classification: "Poison",
    payloadHash: failure.payloadHash,
  });
}

type Contents = Pick<
  FailureReport,
  | "tenantId"
  | "failureId"
  | "origin"
  | "routeName"
  | "objectType"
  | "objectId"
  | "correlationId"
  | "payloadHash"
  | "workItem"
>;

function contentsOf({ message, messageId, entity }: DeadMessage): Contents {
  const item = readWorkItem(message);
  if (item !== undefined) {
    const { tenantId, workId, routeName, objectType, objectId, correlationId, payloadHash } = item;
    const common = { tenantId, routeName, objectType, objectId, correlationId, payloadHash };
    return { ...common, failureId: workId, origin: "route", workItem: JSON.stringify(item) };
  }
  if (isEnvelope(message) && isKey(message.tenantid) && isKey(message.correlationid)) {
    return {
      tenantId: message.tenantid,
      failureId: stableId("bus", entity, message.id),
      origin: "bus",
      routeName: "",
      objectType: message.objecttype,
      objectId: message.objectid,
      correlationId: message.correlationid,
      payloadHash: message.payloadhash,
      workItem: JSON.stringify(message),
    };
  }
  const text = (typeof message === "string" ? message : (JSON.stringify(message) ?? "")).slice(
    0,
    longestStray,
  );
  return {
    tenantId: strayTenant,
    failureId: stableId("bus", entity, messageId, text),
    origin: "bus",
    routeName: "",
    objectType: "message",
    objectId: messageId,
    correlationId: stableId("stray", entity, messageId),
    payloadHash: "",
    workItem: text,
  };
}

const longestStray = 100_000;

function textOf(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}
