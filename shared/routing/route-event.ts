import { diagnoseLoaded } from "../config/diagnose-loaded.ts";
import { effectiveRoute } from "../config/effective.ts";
import type { RouteConfig } from "../config/route-schema.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { addToBacklog } from "../ledgers/backlog.ts";
import { type EventStatus, writeEvent } from "../ledgers/events.ts";
import { type TimelineStep, writeTimeline } from "../ledgers/timeline.ts";
import type { Log, LogValues } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { withData } from "../work/execution.ts";
import { executeWork } from "../work/execute.ts";
import { scheduleWork } from "../work/schedule.ts";
import { type WorkItem, workIdOf } from "../work/work-item.ts";
import { failUnrouted } from "./fail-unrouted.ts";
import { matchRoutes, type Matches } from "./match.ts";

const nowhere: Matches = { chosen: [], skipped: [], missing: [] };
const noConfig = "none";

/**
 * Gives one event to its routes: onto the queue, into the backlog, or done at once, as each route wants it. Routing an
 * event again, because its message came twice, makes the same work items, and the ledger knows them.
 */
export async function routeEvent(services: Services, log: Log, received: Envelope): Promise<WorkItem[]> {
  const tenantId = received.tenantid;
  const current = await services.configs.current(tenantId);
  if (current !== undefined) diagnoseLoaded(services, log, tenantId, current);
  const envelope = await withData(services, received);
  services.subjects.observe(tenantId, envelope.type, envelope.data, new Date());
  const matches = current === undefined ? nowhere : matchRoutes(current.config, envelope, envelope.data);
  const configHash = current?.hash ?? noConfig;
  const routedAt = new Date();
  const items = matches.chosen.map(({ route, subscriptionName }) =>
    workItemOf(received, route.routeName, configHash, routedAt, subscriptionName),
  );
  await Promise.all(items.map((item) => place(services, log, current?.config, item)));
  const isUnwanted = items.length === 0 && (await deadLettersUnmatched(services, received, matches));
  for (const { subscriptionName, routeName } of matches.missing) {
    await failUnrouted(
      services,
      log,
      workItemOf(received, routeName, configHash, routedAt, subscriptionName),
    );
  }
  if (isUnwanted) await failUnrouted(services, log, workItemOf(received, "unmatched", configHash, routedAt));
  const status = statusOf(matches, isUnwanted);
  await Promise.all([
    writeEvent(services.commits.events, received, {
      status,
      configHash,
      routedAt: routedAt.toISOString(),
      routes: items.map(({ routeName }) => routeName),
    }),
    tellWhatDidNotRun(services, received, matches, routedAt),
  ]);
  logRouting(log, received, matches, configHash, items);
  return items;
}

export function workItemOf(
  envelope: Envelope,
  routeName: string,
  configHash: string,
  routedAt: Date,
  subscriptionName?: string,
): WorkItem {
  return {
    workId: workIdOf(envelope.id, routeName),
    tenantId: envelope.tenantid,
    routeName,
    configHash,
    eventId: envelope.id,
    objectType: envelope.objecttype,
    objectId: envelope.objectid,
    correlationId: envelope.correlationid,
    payloadHash: envelope.payloadhash,
    receivedAt: envelope.receivedat,
    routedAt: routedAt.toISOString(),
    attempt: 1,
    ...(subscriptionName === undefined ? {} : { subscriptionName }),
    envelope,
  };
}

async function place(
  services: Services,
  log: Log,
  config: RouteConfig | undefined,
  item: WorkItem,
): Promise<void> {
  const route = config === undefined ? undefined : effectiveRoute(config, item.routeName);
  switch (route?.mode) {
    case "inline":
      await executeWork(services, log, item);
      return;
    case "drain": {
      const dueAt = new Date(Date.parse(item.routedAt) + route.drainIntervalMin * 60_000);
      await addToBacklog(services.backlog, item, dueAt);
      return;
    }
    case "queue":
    case undefined:
      await scheduleWork(services, item);
  }
}

/** A connection may say that an event nobody wants is a mistake. */
async function deadLettersUnmatched(
  services: Services,
  { connectionid }: Envelope,
  { skipped }: Matches,
): Promise<boolean> {
  if (skipped.length > 0) return false;
  const found = await services.connections.find(connectionid);
  return found?.connection.onUnmatched === "dead-letter";
}

export function statusOf({ chosen, skipped, missing }: Matches, isUnwanted: boolean = false): EventStatus {
  if (chosen.length > 0) return "ROUTED";
  if (missing.length > 0 || isUnwanted) return "CONFIG_MISSING";
  return skipped.length > 0 ? "SKIPPED" : "UNMATCHED";
}

/** The routes that run write of it themselves, together with what came of it. */
async function tellWhatDidNotRun(
  services: Services,
  envelope: Envelope,
  { chosen, skipped, missing }: Matches,
  at: Date,
): Promise<void> {
  const steps = skipped.map(({ routeName, reason }): TimelineStep => ({
    at,
    kind: "skipped",
    stepId: workIdOf(envelope.id, routeName),
    routeName,
    details: { reason },
  }));
  const isUnmatched = chosen.length + skipped.length + missing.length === 0;
  if (isUnmatched) steps.push({ at, kind: "unmatched", stepId: envelope.id });
  const [first, ...rest] = steps;
  if (first === undefined) return;
  await writeTimeline(services.commits.timeline, envelope.tenantid, envelope.correlationid, [first, ...rest]);
}

function logRouting(
  log: Log,
  envelope: Envelope,
  { skipped, missing }: Matches,
  configHash: string,
  items: readonly WorkItem[],
): void {
  const values: LogValues = {
    tenantId: envelope.tenantid,
    correlationId: envelope.correlationid,
    sourceSystem: envelope.sourcesystem,
    objectType: envelope.objecttype,
    objectId: envelope.objectid,
    eventId: envelope.id,
    payloadHash: envelope.payloadhash,
    configHash,
  };
  for (const { routeName, reason } of skipped)
    log.event("route.skipped", { ...values, routeName, action: reason });
  if (items.length > 0) log.event("event.routed", { ...values, count: items.length });
  else if (missing.length === 0 && skipped.length === 0) log.event("event.unmatched", values);
}
