import type { TableClient } from "@azure/data-tables";
import type { ContainerClient } from "@azure/storage-blob";

import { perPlatform } from "./api/per-platform.ts";
import { type AuditTrail, auditTrailOn } from "./audit/trail.ts";
import type { EffectiveRoute } from "./config/effective.ts";
import { createConnectionCache, type ConnectionCache } from "./connections/connection-cache.ts";
import { createTenantSecrets } from "./connections/tenant-secrets.ts";
import { eventsTopic, rawContainer, workQueue } from "./entities.ts";
import type { Envelope } from "./envelope/envelope.ts";
import { createInboxWriter, type InboxWriter } from "./ingest/inbox-writer.ts";
import { backlogRoutesTable, backlogTable, type BacklogTables } from "./ledgers/backlog.ts";
import { type ConfigCache, createConfigCache, routeConfigsTable } from "./ledgers/configs.ts";
import { effectsTable } from "./ledgers/effects.ts";
import { escalationsTable } from "./ledgers/escalations.ts";
import { eventsTable } from "./ledgers/events.ts";
import { failureIndexTable, failuresTable, type FailureTables } from "./ledgers/failures.ts";
import { inboxWritersTable } from "./ledgers/inbox-writers.ts";
import { inboxTable } from "./ledgers/inbox.ts";
import { objectsTable } from "./ledgers/objects.ts";
import { createRateLimiter, type RateLimiter, ratesTable } from "./ledgers/rates.ts";
import { type Pauses, readPauses, routeStatesTable } from "./ledgers/route-states.ts";
import { createSubjectObserver, subjectsTable } from "./ledgers/subjects.ts";
import { timelineTable } from "./ledgers/timeline.ts";
import { unpublishedTable } from "./ledgers/unpublished.ts";
import { createLog, type Log, type LogSink } from "./logging/log.ts";
import type { BoundOperation } from "./operations/operation.ts";
import { bindOperation } from "./operations/operations.ts";
import { createOutboundClient } from "./outbound/client.ts";
import { type BatchSender, createBatchSender } from "./platform/batch-sender.ts";
import { createGroupCommit, type GroupCommit } from "./platform/group-commit.ts";
import { type Platform, platform } from "./platform/platform.ts";

/** What ingest, routing and execution work with: caches, ledgers and senders, one of each in a process. */
export interface Services {
  readonly platform: Platform;
  readonly environment: string;
  readonly leaseMs: number;
  readonly trustedProxies: number;
  readonly tables: Readonly<Record<TableName, TableClient>>;
  readonly failures: FailureTables;
  readonly backlog: BacklogTables;
  readonly commits: Readonly<Record<"effects" | "events" | "timeline", GroupCommit>>;
  readonly senders: Readonly<Record<"events" | "work", BatchSender>>;
  readonly rawBodies: () => Promise<ContainerClient>;
  readonly inbox: InboxWriter;
  readonly configs: ConfigCache;
  readonly connections: ConnectionCache;
  readonly audit: AuditTrail;
  readonly rates: RateLimiter;
  readonly subjects: ReturnType<typeof createSubjectObserver>;
  /** The paused routes of a tenant, at most a few seconds old. */
  readonly pauses: (tenantId: string) => Promise<Pauses>;
  readonly forgetPauses: (tenantId: string) => void;
  readonly publish: (envelope: Envelope) => Promise<void>;
  /** A route's operation, with its endpoint and the tenant's credentials. */
  readonly bind: (tenantId: string, route: EffectiveRoute) => BoundOperation;
  readonly logTo: (sink: LogSink, scenarioName: string) => Log;
}

type TableName =
  | "inbox"
  | "inboxWriters"
  | "unpublished"
  | "effects"
  | "events"
  | "timeline"
  | "escalations"
  | "routeStates"
  | "objects"
  | "subjects"
  | "configs";

/** Of a platform other than the process's own. */
export const servicesOn = perPlatform(createServices);

export function services(): Promise<Services> {
  return servicesOn(platform());
}

async function createServices(on: Platform): Promise<Services> {
  const tables = {
    inbox: await on.table(inboxTable),
    inboxWriters: await on.table(inboxWritersTable),
    unpublished: await on.table(unpublishedTable),
    effects: await on.table(effectsTable),
    events: await on.table(eventsTable),
    timeline: await on.table(timelineTable),
    escalations: await on.table(escalationsTable),
    routeStates: await on.table(routeStatesTable),
    objects: await on.table(objectsTable),
    subjects: await on.table(subjectsTable),
    configs: await on.table(routeConfigsTable),
  };
  const { settings } = on;
  const environment = settings.ENVIRONMENT_NAME ?? "unnamed";
  const leaseMs = positive(settings.LEASE_SECONDS, 30) * 1000;
  const senders = {
    events: createBatchSender(() => on.openBus(), eventsTopic),
    work: createBatchSender(() => on.openBus(), workQueue),
  };
  const publish = (envelope: Envelope): Promise<void> =>
    senders.events.send({
      messageId: envelope.id,
      subject: envelope.type,
      correlationId: envelope.correlationid,
      tenantId: envelope.tenantid,
      body: envelope,
    });
  const pauses = createPauseCache(tables.routeStates);
  const secrets = createTenantSecrets(on);
  const client = createOutboundClient(settings);
  return {
    platform: on,
    environment,
    leaseMs,
    trustedProxies: positive(settings.TRUSTED_PROXIES, 1),
    tables,
    failures: { failures: await on.table(failuresTable), index: await on.table(failureIndexTable) },
    backlog: { backlog: await on.table(backlogTable), routes: await on.table(backlogRoutesTable) },
    commits: {
      effects: createGroupCommit(tables.effects),
      events: createGroupCommit(tables.events),
      timeline: createGroupCommit(tables.timeline),
    },
    senders,
    rawBodies: () => on.container(rawContainer),
    inbox: createInboxWriter({
      inbox: tables.inbox,
      writers: tables.inboxWriters,
      unpublished: tables.unpublished,
      publish,
      leaseMs,
    }),
    configs: createConfigCache(tables.configs),
    connections: createConnectionCache(on, { maxAgeMs: 5000 }),
    audit: auditTrailOn(on),
    rates: createRateLimiter(await on.table(ratesTable)),
    subjects: createSubjectObserver(tables.subjects),
    ...pauses,
    publish,
    bind: (tenantId, { endpoint, operation, targetSystem }) =>
      bindOperation({
        endpoint,
        operation,
        targetSystem,
        client,
        secretOf: (name) => secrets.read(tenantId, name),
      }),
    logTo: (sink, scenarioName) => createLog(sink, scenarioName, environment),
  };
}

const pausesMaxAgeMs = 2000;

function createPauseCache(table: TableClient): Pick<Services, "pauses" | "forgetPauses"> {
  const cached = new Map<string, { readonly at: number; readonly pauses: Promise<Pauses> }>();
  return {
    pauses: (tenantId) => {
      const found = cached.get(tenantId);
      if (found !== undefined && Date.now() - found.at < pausesMaxAgeMs) return found.pauses;
      const pauses = readPauses(table, tenantId).catch((error: unknown) => {
        cached.delete(tenantId);
        throw error;
      });
      cached.set(tenantId, { at: Date.now(), pauses });
      return pauses;
    },
    forgetPauses: (tenantId) => void cached.delete(tenantId),
  };
}

function positive(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) && value > 0 ? value : fallback;
}
