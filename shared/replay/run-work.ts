import { resolveFailure } from "../failures/resolve.ts";
import { type Failure, findFailure, takeForReplay } from "../ledgers/failures.ts";
import type { ReplayedWork } from "../ledgers/replay-items.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import { executeWork } from "../work/execute.ts";
import type { JudgedWork } from "./judged.ts";
import { type Outcome, outcomeOfStatus } from "./outcomes.ts";
import type { ReplayContext } from "./replay-context.ts";

/**
 * Does one piece of work by the path that every work takes. Asked twice for the same replay, because the process died in
 * between, it does not try again what has failed, and the ledger knows what was done.
 */
export async function runWork(context: ReplayContext, work: JudgedWork): Promise<ReplayedWork> {
  const { workId, routeName } = work.item;
  return { workId, routeName, outcome: await outcomeOf(context, work) };
}

async function outcomeOf(context: ReplayContext, { item, action }: JudgedWork): Promise<Outcome> {
  const { services, log, replay } = context;
  const { tenantId, replayId } = replay;
  if (action === "leave") return "skipped";
  const failure = await findFailure(services.failures.failures, tenantId, item.workId);
  const before = failure && outcomeOfEarlier(failure, replayId);
  if (before !== undefined) return before;
  if (failure !== undefined && failure.state !== "Resolved" && !(await isOurs(context, failure)))
    return "skipped";
  await tellReplayed(context, item);
  if (action === "execute") {
    const { status } = await executeWork(services, log, { ...item, replayId });
    return outcomeOfStatus[status];
  }
  await resolveFailure(services, log, item);
  return "deduplicated";
}

/** What this very replay has led to already; undefined while the failure still waits for it. */
export function outcomeOfEarlier(failure: Failure, replayId: string): Outcome | undefined {
  if (failure.replayId !== replayId) return undefined;
  switch (failure.state) {
    case "Resolved":
      return "done";
    case "Retrying":
      return "retrying";
    case "Parked":
      return "parked";
    case "Quarantined":
      return "quarantined";
    case "Discarded":
      return "skipped";
    case "ReadyToReplay":
      return undefined;
  }
}

/** The failure of an event's work is taken only now: which routes an event takes is not known before. */
async function isOurs({ services, replay, judging }: ReplayContext, failure: Failure): Promise<boolean> {
  const { tenantId, replayId } = replay;
  const { state, replayId: owner, failureId } = failure;
  if (state === "ReadyToReplay" && owner === replayId) return true;
  const takeFrom = owner !== undefined && !(await judging.isRunning(owner)) ? owner : undefined;
  return (await takeForReplay(services.failures, tenantId, failureId, replayId, takeFrom)) !== undefined;
}

export async function tellReplayed(
  { services, replay }: ReplayContext,
  about: { readonly workId: string; readonly correlationId: string; readonly routeName: string },
): Promise<void> {
  const { tenantId, replayId, createdBy } = replay;
  await writeTimeline(services.commits.timeline, tenantId, about.correlationId, [
    {
      at: new Date(),
      kind: "replayed",
      stepId: `${about.workId}:${replayId}`,
      ...(about.routeName === "" ? {} : { routeName: about.routeName }),
      details: { replayId, by: createdBy },
    },
  ]);
}
