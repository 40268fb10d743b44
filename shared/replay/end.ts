import { stableId } from "../envelope/ids.ts";
import { raiseEscalation } from "../ledgers/escalations.ts";
import { endReplay, writeProgress } from "../ledgers/replays.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { openReplay } from "./replay-context.ts";
import { progressOf, type Run } from "./run.ts";

/** The last step. A person is told of a replay that stopped by itself before it counts as over. */
export async function finishReplay(services: Services, log: Log, run: Run): Promise<void> {
  const { tenantId, replayId } = run;
  const { replays, replay } = await openReplay(services, log, tenantId, replayId);
  const { state, reason } = run.ending ?? { state: "Completed" as const, reason: undefined };
  const now = new Date();
  await writeProgress(replays, tenantId, replayId, progressOf(run));
  if (state === "Stopped") await tellWhy(services, run, reason ?? "", now);
  const ended = await endReplay(replays, tenantId, replayId, state, {
    finishedAt: now,
    ...(reason === undefined ? {} : { reason }),
  });
  if (ended === undefined) return;
  log.event(state === "Stopped" ? "replay.stopped" : "replay.finished", {
    tenantId,
    runId: replayId,
    action: state,
    count: run.reached,
    durationMs: now.getTime() - replay.createdAt.getTime(),
    ...(reason === undefined ? {} : { detail: reason }),
  });
}

async function tellWhy(services: Services, run: Run, reason: string, now: Date): Promise<void> {
  const { tenantId, replayId, total, reached } = run;
  const cause = `replay:${replayId}`;
  await raiseEscalation(services.tables.escalations, tenantId, cause, {
    escalationId: stableId("escalation", tenantId, cause),
    raisedAt: now.toISOString(),
    code: "REPLAY_STOPPED",
    message: `Replay ${replayId} stopped after ${reached} of ${total} items. ${reason}`,
    runbook: "replay",
    routeName: "",
    correlationId: replayId,
    objectId: replayId,
    classification: "",
    failureId: "",
  });
}
