import type { Envelope } from "../envelope/envelope.ts";
import type { Failing } from "../failures/classes.ts";
import { resolveFailure } from "../failures/resolve.ts";
import { type Claim, completeEffect, type EffectKey, renewClaim } from "../ledgers/effects.ts";
import { rememberApplied } from "../ledgers/objects.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { OperationInput } from "../operations/operation.ts";
import { type Execution, outcomeOf, timeoutMsOf, valuesOf } from "./execution.ts";
import { failWork } from "./fail.ts";
import { loseClaim } from "./lose-claim.ts";
import type { WorkItem, WorkOutcome } from "./work-item.ts";

/** An earlier attempt may have happened: the vendor is asked before anything is done again. */
export async function settleDoubt(
  execution: Execution,
  envelope: Envelope,
  effect: EffectKey,
  claim: Claim,
): Promise<WorkOutcome> {
  const { services, log, item, route } = execution;
  const operation = services.bind(item.tenantId, route);
  const answer = await operation.askVendor(inputOf(execution, envelope, effect));
  log.event("work.in-doubt", { ...valuesOf(execution, effect), action: answer.kind });
  await writeTimeline(services.commits.timeline, item.tenantId, item.correlationId, [
    {
      at: new Date(),
      kind: "resolvedInDoubt",
      stepId: `${item.workId}:${item.attempt}`,
      routeName: item.routeName,
      details: { answer: answer.kind },
    },
  ]);
  switch (answer.kind) {
    case "happened":
      return succeed(execution, effect, claim, answer.sideEffectRef, 0, undefined);
    case "absent":
    case "repeatable":
      return perform(execution, envelope, effect, claim);
    case "failed":
      return failWork(services, log, item, route, claim, { ...answer.failing, mayHaveHappened: true });
    case "unknown":
      return route.inDoubt === "retry"
        ? perform(execution, envelope, effect, claim)
        : failWork(services, log, item, route, claim, inDoubt(item));
  }
}

export async function perform(
  execution: Execution,
  envelope: Envelope,
  effect: EffectKey,
  claim: Claim | undefined,
): Promise<WorkOutcome> {
  const { services, log, item, route } = execution;
  const held = claim === undefined ? undefined : await withTimeLeft(execution, claim);
  if (held === undefined && claim !== undefined) return loseClaim(services, log, item, claim);
  const operation = services.bind(item.tenantId, route);
  const outcome = await operation.execute(inputOf(execution, envelope, effect));
  if (outcome.kind === "failed") return failWork(services, log, item, route, held, outcome.failing);
  return succeed(execution, effect, held, outcome.sideEffectRef, outcome.durationMs, outcome.httpStatus);
}

/** A request that may still be under way when the lease ends must not begin: others would then make it too. */
async function withTimeLeft({ services, route }: Execution, claim: Claim): Promise<Claim | undefined> {
  const { commits, tables, leaseMs } = services;
  const overBy = Date.now() + timeoutMsOf(route);
  if (overBy <= claim.leaseUntil.getTime()) return claim;
  return renewClaim(commits.effects, tables.effects, claim, new Date(overBy + leaseMs));
}

async function succeed(
  execution: Execution,
  effect: EffectKey,
  claim: Claim | undefined,
  sideEffectRef: string,
  durationMs: number,
  httpStatus: number | undefined,
): Promise<WorkOutcome> {
  const { services, log, item, route } = execution;
  const { commits, tables } = services;
  const doneAt = new Date();
  const steps = completedSteps(item, doneAt, sideEffectRef, durationMs);
  const [isOurs] = await Promise.all([
    claim === undefined
      ? true
      : completeEffect(
          commits.effects,
          tables.effects,
          claim,
          sideEffectRef,
          doneAt,
          route.ledger.retentionDays,
        ),
    writeTimeline(commits.timeline, item.tenantId, item.correlationId, steps),
    route.staleGuard ? rememberApplied(tables.objects, item, item.envelope.time) : undefined,
  ]);
  if (!isOurs) log.event("work.lost-claim", valuesOf(execution, effect));
  const mayHaveFailed = item.attempt > 1 || item.replayId !== undefined || claim?.inDoubt === true;
  if (mayHaveFailed) await resolveFailure(services, log, item);
  log.event("work.executed", { ...valuesOf(execution, effect), durationMs, httpStatus, action: "DONE" });
  return { ...outcomeOf("DONE", effect), sideEffectRefs: [sideEffectRef] };
}

function completedSteps(
  item: WorkItem,
  at: Date,
  sideEffectRef: string,
  durationMs: number,
): Parameters<typeof writeTimeline>[3] {
  const { routeName, workId, attempt } = item;
  return [
    {
      at: new Date(item.routedAt),
      kind: "routed",
      stepId: workId,
      routeName,
      details: { configHash: item.configHash },
    },
    {
      at,
      kind: "executed",
      stepId: `${workId}:${attempt}`,
      routeName,
      details: { sideEffectRef, attempt, durationMs },
    },
  ];
}

function inputOf({ item }: Execution, envelope: Envelope, { key }: EffectKey): OperationInput {
  return {
    tenantId: item.tenantId,
    routeName: item.routeName,
    envelope,
    idempotencyKey: key,
    attempt: item.attempt,
  };
}

function inDoubt({ attempt }: WorkItem): Failing {
  return {
    classification: "Poison",
    code: "IN_DOUBT",
    message: `An attempt before number ${attempt} may have happened, and the vendor offers no way to tell.`,
    mayHaveHappened: true,
  };
}
