import type { Caller } from "../access/caller.ts";
import { roles } from "../ledgers/api-keys.ts";
import { findEvent } from "../ledgers/events.ts";
import type { StoredWebhook } from "../ledgers/inbox.ts";
import { readTimeline, type TimelineEntry } from "../ledgers/timeline.ts";
import type { Services } from "../services.ts";
import { type EventRoute, eventRoutes } from "./event-routes.ts";
import { dataOf, type FoundEvent } from "./find-event.ts";

/** More than a person reads; the exact bytes can be downloaded. */
const mostShownBytes = 1024 * 1024;

/** Why an event is shown without its data. */
export const omissions = ["not-asked", "role", "size", "unreadable"] as const;
type Omission = (typeof omissions)[number];

/** Whether the caller would see what was in the webhook. */
export function omissionOf(caller: Caller, { size }: StoredWebhook, isAsked: boolean): Omission | undefined {
  if (!isAsked) return "not-asked";
  if (roles.indexOf(caller.role) < roles.indexOf("operator")) return "role";
  return size > mostShownBytes ? "size" : undefined;
}

/** Where an event is now, in one answer: what came in, what the router made of it, and how each route got on. */
export async function showEvent(
  services: Services,
  { envelope, webhook }: FoundEvent,
  omission: Omission | undefined,
): Promise<object> {
  const { tenantid, correlationid } = envelope;
  const { tables } = services;
  const [summary, steps, data] = await Promise.all([
    findEvent(tables.events, envelope),
    readTimeline(tables.timeline, tenantid, correlationid),
    dataOf(services, webhook),
  ]);
  const { contentType, size, headers, problem } = webhook;
  const routes = await eventRoutes(services, { ...envelope, data }, summary, steps);
  const omitted = omission ?? (data === undefined ? "unreadable" : undefined);
  return {
    eventId: envelope.id,
    correlationId: correlationid,
    status: summary?.status ?? (problem === undefined ? "RECEIVED" : "QUARANTINED"),
    ...(summary && { routedAt: summary.routedAt, configHash: summary.configHash }),
    envelope,
    webhook: { contentType, size, headers, ...(problem !== undefined && { problem }) },
    ...(omitted === undefined ? { data } : { dataOmitted: omitted }),
    routes: routes.map(shownRoute),
    timeline: withReceived(webhook, steps),
  };
}

/** Accepting a webhook costs one write, so this step is not written: the inbox tells it. */
export function withReceived(
  { envelope, size }: StoredWebhook,
  steps: readonly TimelineEntry[],
): TimelineEntry[] {
  const details = { subject: envelope.type, connectionId: envelope.connectionid, size };
  return [{ at: envelope.receivedat, kind: "received", details }, ...steps];
}

function shownRoute({ ledger, failure, ...route }: EventRoute): object {
  return {
    ...route,
    ...(ledger && {
      ledger: {
        key: ledger.key,
        state: ledger.state,
        attempt: ledger.attempt,
        createdAt: ledger.createdAt,
        mayHaveHappened: ledger.mayHaveHappened,
        correlationId: ledger.correlationId,
        ...(ledger.nextAttemptAt && { nextAttemptAt: ledger.nextAttemptAt }),
        ...(ledger.sideEffectRef !== undefined && { sideEffectRef: ledger.sideEffectRef }),
        ...(ledger.doneAt && { doneAt: ledger.doneAt }),
      },
    }),
    ...(failure && {
      failure: {
        failureId: failure.failureId,
        state: failure.state,
        classification: failure.classification,
        code: failure.code,
        message: failure.message,
        attempts: failure.attempts,
        firstFailedAt: failure.firstFailedAt,
        lastFailedAt: failure.lastFailedAt,
        mayHaveHappened: failure.mayHaveHappened,
        ...(failure.httpStatus !== undefined && { httpStatus: failure.httpStatus }),
        ...(failure.nextAttemptAt && { nextAttemptAt: failure.nextAttemptAt }),
      },
    }),
  };
}
