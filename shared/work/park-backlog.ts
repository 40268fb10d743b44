import type { Caller } from "../access/caller.ts";
import {
  findBacklogRoute,
  forgetBacklogRoute,
  removeFromBacklog,
  takeFromBacklog,
  type WaitingWork,
} from "../ledgers/backlog.ts";
import { recordFailure } from "../ledgers/failures.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { Services } from "../services.ts";

export interface ParkedBacklog {
  readonly parked: number;
  /** Something may still be waiting: ask again. */
  readonly isMore: boolean;
}

const mostAtATime = 200;

/**
 * Takes what waits for a route out of the backlog and makes dead letters of it. There it can be discarded, or replayed
 * by the current configuration: in the backlog it could only go on by the one it was routed by, or, where its route is
 * gone, not at all. Nobody is alarmed, for a person wants it.
 */
export async function parkBacklog(
  services: Services,
  { tenantId, keyId }: Caller,
  routeName: string,
  now: Date,
): Promise<ParkedBacklog> {
  const { backlog, routes } = services.backlog;
  const waiting = await findBacklogRoute(routes, tenantId, routeName);
  if (waiting === undefined) return { parked: 0, isMore: false };
  const work = await takeFromBacklog(backlog, tenantId, routeName, mostAtATime);
  await Promise.all(work.map((one) => parkOne(services, one, keyId, now)));
  await removeFromBacklog(backlog, tenantId, routeName, work);
  const isMore = work.length === mostAtATime;
  if (!isMore) await forgetBacklogRoute(routes, waiting);
  return { parked: work.length, isMore };
}

/** The dead letter first: a crash before the row is gone parks it twice, which is once. */
async function parkOne(services: Services, { item }: WaitingWork, by: string, now: Date): Promise<void> {
  const { tenantId, workId, routeName, objectType, objectId, correlationId, payloadHash, attempt } = item;
  await recordFailure(services.failures, {
    tenantId,
    failureId: workId,
    routeName,
    objectType,
    objectId,
    correlationId,
    payloadHash,
    origin: "route",
    state: "Parked",
    classification: "Poison",
    code: "BACKLOG_PARKED",
    message: `It waited for its route, and was taken out of the backlog by ${by}.`,
    attempts: attempt - 1,
    currentStep: "hold",
    lastFailedAt: now,
    // Whether an earlier attempt did, the ledger knows.
    mayHaveHappened: false,
    workItem: JSON.stringify(item),
    ...(item.replayId !== undefined && { replayId: item.replayId }),
  });
  await writeTimeline(services.commits.timeline, tenantId, correlationId, [
    { at: now, kind: "parked", stepId: workId, routeName, details: { code: "BACKLOG_PARKED", by } },
  ]);
}
