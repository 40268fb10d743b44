import { findFailure, moveFailure } from "../ledgers/failures.ts";
import { thawObject } from "../ledgers/objects.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import type { WorkItem } from "../work/work-item.ts";

/** What names a failure: a work item, or anything else that has one. */
type Failed = Pick<WorkItem, "tenantId" | "workId" | "routeName" | "correlationId" | "objectId" | "attempt">;

/** The work has been done after all: its failure, if there was one, is over. */
export async function resolveFailure(services: Services, log: Log, item: Failed): Promise<void> {
  const { tenantId, workId } = item;
  const found = await findFailure(services.failures.failures, tenantId, workId);
  if (found === undefined) return;
  const now = new Date();
  const resolved = await moveFailure(services.failures, tenantId, workId, "Resolved", { lastFailedAt: now });
  if (resolved === undefined) return;
  await thawObject(services.tables.objects, item, workId);
  await writeTimeline(services.commits.timeline, tenantId, item.correlationId, [
    {
      at: now,
      kind: "resolved",
      stepId: workId,
      routeName: item.routeName,
      details: { attempts: item.attempt },
    },
  ]);
  log.event("failure.resolved", {
    tenantId,
    routeName: item.routeName,
    correlationId: item.correlationId,
    objectId: item.objectId,
    attempt: item.attempt,
    errorCode: found.code,
  });
}
