import type { EffectiveRoute } from "../config/effective.ts";
import { nextWaitSeconds } from "../config/retry-wait.ts";
import { failureClasses, type Failing } from "../failures/classes.ts";
import { escalate } from "../failures/escalate.ts";
import { guardAgainstFlood } from "../failures/flood-guard.ts";
import { type Claim, parkEffect, waitForNextAttempt } from "../ledgers/effects.ts";
import { type FailureReport, recordFailure } from "../ledgers/failures.ts";
import { freezeObject } from "../ledgers/objects.ts";
import { type TimelineStep, writeTimeline } from "../ledgers/timeline.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { logValuesOf, outcomeOf } from "./execution.ts";
import { loseClaim } from "./lose-claim.ts";
import { scheduleWork } from "./schedule.ts";
import type { WorkItem, WorkOutcome } from "./work-item.ts";

/**
 * An attempt has failed. The failure is recorded first, so that a person sees it whatever happens next; then the ledger
 * says that the attempt is over; then the next one is scheduled. A crash between repeats a step, never skips one.
 */
export async function failWork(
  services: Services,
  log: Log,
  item: WorkItem,
  route: EffectiveRoute | undefined,
  claim: Claim | undefined,
  failing: Failing,
): Promise<WorkOutcome> {
  const waitSeconds = waitBefore(route, item, failing);
  return waitSeconds === undefined
    ? park(services, log, item, route, claim, failing)
    : retryLater(services, log, item, claim, failing, waitSeconds);
}

/** Undefined when there will be no further attempt. */
function waitBefore(route: EffectiveRoute | undefined, item: WorkItem, failing: Failing): number | undefined {
  if (route === undefined || !failureClasses[failing.classification].retried) return undefined;
  return nextWaitSeconds(
    route,
    item.attempt - (item.attemptsBefore ?? 0),
    failing.retryAfterSeconds,
    Math.random,
  );
}

async function retryLater(
  services: Services,
  log: Log,
  item: WorkItem,
  claim: Claim | undefined,
  failing: Failing,
  waitSeconds: number,
): Promise<WorkOutcome> {
  const now = new Date();
  const nextAttemptAt = new Date(now.getTime() + waitSeconds * 1000);
  await recordFailure(services.failures, {
    ...reportOf(item, failing, now),
    state: "Retrying",
    nextAttemptAt,
  });
  const { commits, tables } = services;
  const { mayHaveHappened } = failing;
  if (
    claim !== undefined &&
    !(await waitForNextAttempt(commits.effects, tables.effects, claim, nextAttemptAt, mayHaveHappened))
  )
    return loseClaim(services, log, item, claim);
  await scheduleWork(services, { ...item, attempt: item.attempt + 1 }, nextAttemptAt);
  await tell(services, item, failing, now, {
    at: now,
    kind: "retrying",
    stepId: `${item.workId}:${item.attempt}`,
    routeName: item.routeName,
    details: { nextAttemptAt: nextAttemptAt.toISOString(), nextAttempt: item.attempt + 1 },
  });
  log.event("work.retrying", {
    ...logValuesOf(item),
    ...failureValues(failing),
    action: "RETRYING",
    detail: `Next attempt at ${nextAttemptAt.toISOString()}.`,
  });
  return { ...outcomeOf("RETRYING", claim?.effect), failureId: item.workId };
}

async function park(
  services: Services,
  log: Log,
  item: WorkItem,
  route: EffectiveRoute | undefined,
  claim: Claim | undefined,
  failing: Failing,
): Promise<WorkOutcome> {
  const now = new Date();
  const isQuarantine = failureClasses[failing.classification].family === "data-quality";
  const state = isQuarantine ? "Quarantined" : "Parked";
  const failure = await recordFailure(services.failures, { ...reportOf(item, failing, now), state });
  const { commits, tables } = services;
  if (
    claim !== undefined &&
    !(await parkEffect(commits.effects, tables.effects, claim, failing.mayHaveHappened))
  )
    return loseClaim(services, log, item, claim);
  if (isQuarantine && route?.freezeOnQuarantine === true)
    await freezeObject(tables.objects, item, item.workId);
  await tell(services, item, failing, now, {
    at: now,
    kind: isQuarantine ? "quarantined" : "parked",
    stepId: `${item.workId}:${item.attempt}`,
    routeName: item.routeName,
    details: { failureId: item.workId },
  });
  const values = { ...logValuesOf(item), ...failureValues(failing), action: state };
  // What the vendor wrote may quote what it was sent: it is in the failure, where a person may see it, and not here.
  log.event(isQuarantine ? "work.quarantined" : "work.parked", values);
  await escalate(services, failure, now);
  if (route !== undefined) await guardAgainstFlood(services, log, failure, route.floodGuard, now);
  const status = isQuarantine ? "QUARANTINED" : "DEAD_LETTERED";
  return { ...outcomeOf(status, claim?.effect), failureId: item.workId };
}

function reportOf(item: WorkItem, failing: Failing, now: Date): Omit<FailureReport, "state"> {
  return {
    tenantId: item.tenantId,
    failureId: item.workId,
    origin: "route",
    classification: failing.classification,
    code: failing.code,
    message: failing.message,
    attempts: item.attempt,
    currentStep: failing.code === "CONFIG_MISSING" ? "route" : "side-effect",
    routeName: item.routeName,
    objectType: item.objectType,
    objectId: item.objectId,
    correlationId: item.correlationId,
    payloadHash: item.payloadHash,
    lastFailedAt: now,
    mayHaveHappened: failing.mayHaveHappened,
    workItem: JSON.stringify(item),
    ...(failing.httpStatus === undefined ? {} : { httpStatus: failing.httpStatus }),
    ...(item.replayId === undefined ? {} : { replayId: item.replayId }),
  };
}

function failureValues(failing: Failing): Parameters<Log["event"]>[1] {
  return {
    classification: failing.classification,
    family: failureClasses[failing.classification].family,
    errorCode: failing.code,
    httpStatus: failing.httpStatus,
  };
}

async function tell(
  services: Services,
  item: WorkItem,
  failing: Failing,
  at: Date,
  consequence: TimelineStep,
): Promise<void> {
  const { workId, attempt, routeName } = item;
  const details = {
    code: failing.code,
    classification: failing.classification,
    message: failing.message,
    attempt,
  };
  await writeTimeline(services.commits.timeline, item.tenantId, item.correlationId, [
    {
      at: new Date(item.routedAt),
      kind: "routed",
      stepId: workId,
      routeName,
      details: { configHash: item.configHash },
    },
    { at, kind: "failed", stepId: `${workId}:${attempt}`, routeName, details },
    consequence,
  ]);
}
