import { isUnavailable } from "../api/unavailable.ts";
import { resolveFailure } from "../failures/resolve.ts";
import { findEvent, writeEvent } from "../ledgers/events.ts";
import { type Failure, returnFromReplay } from "../ledgers/failures.ts";
import type { ReplayedWork, ReplayItem } from "../ledgers/replay-items.ts";
import type { Judged } from "./judged.ts";
import { gravest } from "./outcomes.ts";
import type { ReplayContext } from "./replay-context.ts";
import { outcomeOfEarlier, runWork, tellReplayed } from "./run-work.ts";
import { type Verdict, verdicts } from "./verdicts.ts";

type Result = Pick<ReplayItem, "outcome" | "verdict" | "detail" | "works">;

/** Does one item for real, and says what became of it. What cannot be done goes back to where it was. */
export async function runItem(context: ReplayContext, item: ReplayItem, judged: Judged): Promise<ReplayItem> {
  try {
    return { ...item, ...(await resultOf(context, item, judged)), doneAt: new Date() };
  } catch (error) {
    return failItem(context, item, error);
  }
}

/** An error that has no name. Without storage or bus nothing can be done now: then the step is made again. */
export async function failItem(
  context: ReplayContext,
  item: ReplayItem,
  error: unknown,
): Promise<ReplayItem> {
  if (isUnavailable(error)) throw error;
  await giveBack(context, item);
  const { tenantId, replayId } = context.replay;
  context.log.event("request.failed", { tenantId, runId: replayId, detail: String(error) });
  return { ...item, outcome: "error", doneAt: new Date() };
}

async function resultOf(context: ReplayContext, item: ReplayItem, judged: Judged): Promise<Result> {
  const { failure, works } = judged;
  if (item.selected.kind === "failure") {
    if (failure === undefined) return skipped("gone");
    const { replayId } = context.replay;
    const before = outcomeOfEarlier(failure, replayId);
    if (before !== undefined) return { outcome: before };
    if (failure.state !== "ReadyToReplay" || failure.replayId !== replayId) {
      return skipped(verdicts[judged.verdict].runs ? "taken" : judged.verdict, judged.detail);
    }
  }
  if (works.every(({ action }) => action === "leave")) {
    await giveBack(context, item);
    return skipped(judged.verdict, judged.detail ?? works[0]?.detail);
  }
  if (judged.by === "publishing") return publish(context, judged);
  const done: ReplayedWork[] = [];
  for (const work of works) done.push(await runWork(context, work));
  const ran = done.map(({ outcome }) => outcome).filter((outcome) => outcome !== "skipped");
  if (ran.length === 0) {
    await giveBack(context, item);
    return { ...skipped("taken"), works: done };
  }
  if (judged.published !== undefined) await tellRouted(context, judged);
  // A dead letter that was an event rather than a route's work: now its routes have it.
  if (failure !== undefined && works.every(({ item: { workId } }) => workId !== failure.failureId)) {
    await resolve(context, failure);
  }
  return { outcome: gravest(ran), works: done };
}

/** A webhook that was in quarantine takes the way every webhook takes, from the bus on. */
async function publish(context: ReplayContext, { published, failure }: Judged): Promise<Result> {
  if (published === undefined || failure === undefined) return skipped("gone");
  await tellReplayed(context, asFailed(failure));
  await context.services.publish(published);
  await resolve(context, failure);
  return { outcome: "published" };
}

async function tellRouted({ services }: ReplayContext, { published, works }: Judged): Promise<void> {
  const routed = works.filter(({ action }) => action !== "leave").map(({ item }) => item);
  const [first] = routed;
  if (published === undefined || first === undefined) return;
  const before = await findEvent(services.tables.events, published);
  await writeEvent(services.commits.events, published, {
    status: "ROUTED",
    configHash: first.configHash,
    routedAt: first.routedAt,
    routes: [...new Set([...(before?.routes ?? []), ...routed.map(({ routeName }) => routeName)])],
  });
}

function resolve({ services, log }: ReplayContext, failure: Failure): Promise<void> {
  return resolveFailure(services, log, asFailed(failure));
}

function asFailed(failure: Failure): Parameters<typeof resolveFailure>[2] {
  return { ...failure, workId: failure.failureId, attempt: failure.attempts + 1 };
}

async function giveBack({ services, replay }: ReplayContext, item: ReplayItem): Promise<void> {
  if (item.selected.kind === "event" || item.formerState === undefined) return;
  const { tenantId, replayId } = replay;
  const { failureId } = item.selected;
  await returnFromReplay(services.failures, tenantId, failureId, replayId, item.formerState);
}

function skipped(verdict: Verdict, detail?: string): Result {
  return { outcome: "skipped", verdict, ...(detail === undefined ? {} : { detail }) };
}
