import { findFailure, type Failure, takeForReplay } from "../ledgers/failures.ts";
import { readItems, type ReplayItem, writeItems } from "../ledgers/replay-items.ts";
import type { Log } from "../logging/log.ts";
import type { FailureState } from "../machines/failure.ts";
import type { Services } from "../services.ts";
import { judgeStanding } from "./judge-standing.ts";
import { openReplay, type ReplayContext } from "./replay-context.ts";
import type { Ran, Task } from "./run.ts";
import { someAtATime } from "./some-at-a-time.ts";
import type { Verdict } from "./verdicts.ts";

const atATime = 16;

/** Marks the failures among the items: from now on they are this replay's, and nobody else's. */
export async function takeItems(services: Services, log: Log, { run, from, to }: Task): Promise<Ran> {
  const context = await openReplay(services, log, run.tenantId, run.replayId);
  const items = await readItems(context.items, run.tenantId, run.replayId, from, to);
  await someAtATime(items, atATime, (item) => takeItem(context, item));
  return { counts: {}, cancelled: context.replay.cancelledBy !== undefined };
}

/** Where it was is written down before it is taken, so that it always finds back. */
async function takeItem(context: ReplayContext, item: ReplayItem): Promise<void> {
  const { services, replay, items, judging } = context;
  const { tenantId, replayId } = replay;
  if (item.selected.kind === "event" || item.outcome !== undefined) return;
  const { failureId } = item.selected;
  const skip = (verdict: Verdict, detail?: string): Promise<void> =>
    writeItems(items, tenantId, replayId, [
      {
        ...item,
        outcome: "skipped",
        verdict,
        doneAt: new Date(),
        ...(detail === undefined ? {} : { detail }),
      },
    ]);
  const failure = await findFailure(services.failures.failures, tenantId, failureId);
  if (failure === undefined) return skip("gone");
  const standing = await judgeStanding(judging, failure);
  if (standing !== undefined) return skip(standing.verdict, standing.detail);
  const taken = { ...item, formerState: item.formerState ?? formerStateOf(failure) };
  await writeItems(items, tenantId, replayId, [taken]);
  const owner = failure.state === "ReadyToReplay" ? failure.replayId : undefined;
  const mine = await takeForReplay(services.failures, tenantId, failureId, replayId, owner);
  if (mine === undefined) await skip("taken");
}

/** What a replay that died had taken was a dead letter of one kind or the other before. */
function formerStateOf({ state, family }: Failure): FailureState {
  if (state !== "ReadyToReplay") return state;
  return family === "data-quality" ? "Quarantined" : "Parked";
}
