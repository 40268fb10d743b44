import type { EffectiveRoute } from "../config/effective.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { readStored } from "../ingest/raw-body.ts";
import type { EffectKey } from "../ledgers/effects.ts";
import { findWebhook } from "../ledgers/inbox.ts";
import type { Log, LogValues } from "../logging/log.ts";
import type { Services } from "../services.ts";
import type { WorkItem, WorkOutcome, WorkStatus } from "./work-item.ts";

/** What the steps of one attempt share. */
export interface Execution {
  readonly services: Services;
  readonly log: Log;
  readonly item: WorkItem;
  readonly route: EffectiveRoute;
  readonly now: Date;
}

const defaultTimeoutSeconds = 30;

/** How long one request to the vendor may take. */
export function timeoutMsOf({ operation }: EffectiveRoute): number {
  return (operation.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
}

/** The event with its data, wherever they are: what was too large to travel is in the inbox. */
export async function withData(services: Services, envelope: Envelope): Promise<Envelope> {
  if (envelope.dataref === undefined) return envelope;
  const webhook = await findWebhook(services.tables.inbox, envelope.tenantid, envelope.correlationid);
  if (webhook === undefined) throw new Error(`The data of event ${envelope.id} are gone`);
  return { ...envelope, data: await readStored(services.rawBodies, webhook) };
}

export function outcomeOf(status: WorkStatus, effect?: EffectKey): WorkOutcome {
  return {
    status,
    processedAt: new Date().toISOString(),
    sideEffectRefs: [],
    ...(effect === undefined ? {} : { ledgerRef: effect.key }),
  };
}

export function logValuesOf(item: WorkItem): LogValues {
  return {
    tenantId: item.tenantId,
    routeName: item.routeName,
    runId: item.workId,
    correlationId: item.correlationId,
    sourceSystem: item.envelope.sourcesystem,
    objectType: item.objectType,
    objectId: item.objectId,
    eventId: item.eventId,
    attempt: item.attempt,
    payloadHash: item.payloadHash,
    configHash: item.configHash,
  };
}

export function valuesOf({ item, route }: Execution, effect?: EffectKey): LogValues {
  return { ...logValuesOf(item), targetSystem: route.targetSystem, idempotencyKey: effect?.key };
}
