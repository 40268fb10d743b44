import { stableId } from "../envelope/ids.ts";
import { isEnvelope } from "../envelope/read-envelope.ts";
import { type FailureReport, recordFailure } from "../ledgers/failures.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { readWorkItem } from "../work/read-work-item.ts";
import { escalate } from "./escalate.ts";

interface DeadMessage {
  /** The queue or subscription that gave up on it. */
  readonly entity: string;
  readonly message: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Where messages go that belong to no tenant: somebody else put them on the bus. */
export const strayTenant = "platform";

/** Records a message from a dead-letter subqueue as a dead letter, with all it held. */
export async function recordDeadLetter(services: Services, log: Log, dead: DeadMessage): Promise<void> {
  const { metadata, entity } = dead;
  const reason = textOf(metadata["deadLetterReason"], "UNKNOWN");
  const now = new Date();
  const failure = await recordFailure(services.failures, {
    ...contentsOf(dead),
    state: "Parked",
    classification: "Poison",
    code: "BUS_DEAD_LETTER",
    message: `The bus gave up: ${reason}. ${textOf(metadata["deadLetterErrorDescription"], "")}`.trim(),
    currentStep: entity,
    attempts: Number(metadata["deliveryCount"] ?? 1),
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

function contentsOf({ message, metadata, entity }: DeadMessage): Contents {
  const item = readWorkItem(message);
  if (item !== undefined) {
    const { tenantId, workId, routeName, objectType, objectId, correlationId, payloadHash } = item;
    const common = { tenantId, routeName, objectType, objectId, correlationId, payloadHash };
    return { ...common, failureId: workId, origin: "route", workItem: JSON.stringify(item) };
  }
  if (isEnvelope(message)) {
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
  const messageId = textOf(metadata["messageId"], "");
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
