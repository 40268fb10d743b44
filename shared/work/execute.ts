import { effectiveRoute, type EffectiveRoute } from "../config/effective.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type { Failing } from "../failures/classes.ts";
import { escalate } from "../failures/escalate.ts";
import { resolveFailure } from "../failures/resolve.ts";
import { claimEffect, type Claimant, type EffectKey } from "../ledgers/effects.ts";
import { findFailure } from "../ledgers/failures.ts";
import { readObject } from "../ledgers/objects.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { Log } from "../logging/log.ts";
import { ledgerKeyOf } from "../routing/ledger-key.ts";
import type { Services } from "../services.ts";
import { PayloadProblem } from "../sources/source.ts";
import { type Execution, outcomeOf, timeoutMsOf, valuesOf, withData } from "./execution.ts";
import { failWork } from "./fail.ts";
import { holdReason, holdWork } from "./hold.ts";
import { perform, settleDoubt } from "./perform.ts";
import { scheduleWork } from "./schedule.ts";
import type { WorkItem, WorkOutcome } from "./work-item.ts";

/**
 * One attempt at one work item: ledger claim, side effect, done. Whatever the outcome, it is written down before it is
 * answered; it throws only when that could not be done, and then the message is delivered again.
 */
export async function executeWork(services: Services, log: Log, item: WorkItem): Promise<WorkOutcome> {
  const now = new Date();
  const pinned = await services.configs.version(item.tenantId, item.configHash);
  const route = pinned === undefined ? undefined : effectiveRoute(pinned.config, item.routeName);
  if (route === undefined) return failWork(services, log, item, undefined, undefined, configMissing(item));
  const execution: Execution = { services, log, item, route, now };
  const reason = await holdReason(execution);
  if (reason !== undefined) return holdWork(execution, reason);
  const delaySeconds = await waitForRate(execution);
  if (delaySeconds !== undefined) return postpone(execution, "RATE_LIMITED", delaySeconds);
  if (await isStale(execution)) return finished(execution, "STALE");
  const envelope = await withData(services, item.envelope);
  const key = ledgerKeyOrProblem(route, envelope, item);
  if (typeof key !== "string") return failWork(services, log, item, route, undefined, key);
  const effect = { tenantId: item.tenantId, key };
  if (!route.ledger.required) return perform(execution, envelope, effect, undefined);
  return claimAndPerform(execution, envelope, effect);
}

async function claimAndPerform(
  execution: Execution,
  envelope: Envelope,
  effect: EffectKey,
): Promise<WorkOutcome> {
  const { services, item, route, now } = execution;
  const leaseUntil = new Date(now.getTime() + timeoutMsOf(route) + services.leaseMs);
  const { commits, tables } = services;
  const answer = await claimEffect(
    commits.effects,
    tables.effects,
    effect,
    claimantOf(item),
    now,
    leaseUntil,
  );
  switch (answer.kind) {
    case "done":
      return finished(execution, "DEDUPE_HIT", effect, answer.sideEffectRef);
    case "busy":
      return postpone(execution, "BUSY", Math.max(1, (answer.until.getTime() - now.getTime()) / 1000));
    case "made":
      // The message of this attempt came twice. What it led to may not have been scheduled before the crash.
      if (answer.nextAttemptAt !== undefined) {
        await scheduleWork(services, { ...item, attempt: answer.attempt + 1 }, answer.nextAttemptAt);
        return outcomeOf("RETRYING", effect);
      }
      await tellAgain(execution);
      return outcomeOf("DEAD_LETTERED", effect);
    case "won":
      return answer.claim.inDoubt
        ? settleDoubt(execution, envelope, effect, answer.claim)
        : perform(execution, envelope, effect, answer.claim);
  }
}

/** The crash may have come between the ledger and the escalation; a person who knows is not told twice. */
async function tellAgain({ services, item, now }: Execution): Promise<void> {
  const failure = await findFailure(services.failures.failures, item.tenantId, item.workId);
  if (failure !== undefined) await escalate(services, failure, now);
}

/** Nothing was done, and that is as it should be. */
async function finished(
  execution: Execution,
  status: "DEDUPE_HIT" | "STALE",
  effect?: EffectKey,
  sideEffectRef?: string,
): Promise<WorkOutcome> {
  const { services, log, item } = execution;
  await writeTimeline(services.commits.timeline, item.tenantId, item.correlationId, [
    {
      at: execution.now,
      kind: status === "STALE" ? "stale" : "deduplicated",
      stepId: `${item.workId}:${item.attempt}`,
      routeName: item.routeName,
      ...(sideEffectRef === undefined ? {} : { details: { sideEffectRef } }),
    },
  ]);
  // An attempt cut short may have left a failure behind, whatever its number.
  await resolveFailure(services, log, item);
  log.event(status === "STALE" ? "work.stale" : "work.deduplicated", {
    ...valuesOf(execution, effect),
    action: status,
  });
  const outcome = outcomeOf(status, effect);
  return sideEffectRef === undefined ? outcome : { ...outcome, sideEffectRefs: [sideEffectRef] };
}

/** The same attempt, later: nothing has been tried yet. */
async function postpone(
  execution: Execution,
  status: "RATE_LIMITED" | "BUSY",
  seconds: number,
): Promise<WorkOutcome> {
  const { services, log, item, now } = execution;
  // Spread, so that what was put off together does not come back together.
  const spreadSeconds = seconds * (1 + Math.random() * 0.2);
  await scheduleWork(services, item, new Date(now.getTime() + spreadSeconds * 1000));
  log.event("work.postponed", { ...valuesOf(execution), action: status });
  return outcomeOf(status);
}

async function waitForRate({ services, item, route, now }: Execution): Promise<number | undefined> {
  const { rateLimitPerMin } = route;
  if (rateLimitPerMin === undefined) return undefined;
  const bucket = { tenantId: item.tenantId, name: `route|${item.routeName}` };
  const burst = Math.max(1, Math.ceil(rateLimitPerMin / 60));
  const { allowed, retryAfterSeconds } = await services.rates.take(bucket, rateLimitPerMin, burst, now);
  return allowed > 0 ? undefined : retryAfterSeconds;
}

async function isStale({ services, item, route }: Execution): Promise<boolean> {
  if (!route.staleGuard) return false;
  const { appliedUntil } = await readObject(services.tables.objects, item);
  return appliedUntil !== undefined && appliedUntil > item.envelope.time;
}

function claimantOf(item: WorkItem): Claimant {
  const { workId, attempt, routeName, objectId, correlationId, payloadHash } = item;
  return { workId, attempt, routeName, objectId, correlationId, payloadHash };
}

/** A key that cannot be made is a problem of the data. */
function ledgerKeyOrProblem(route: EffectiveRoute, envelope: Envelope, item: WorkItem): string | Failing {
  try {
    return ledgerKeyOf(route, envelope, item.subscriptionName);
  } catch (error) {
    if (!(error instanceof PayloadProblem)) throw error;
    const { message } = error;
    return { classification: "Validation", code: "KEY_INCOMPLETE", message, mayHaveHappened: false };
  }
}

function configMissing({ routeName }: WorkItem): Failing {
  return {
    classification: "Poison",
    code: "CONFIG_MISSING",
    message: `There is no route '${routeName}' in the configuration this work was made with.`,
    mayHaveHappened: false,
  };
}
