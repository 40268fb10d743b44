import { effectiveRoute } from "../config/effective.ts";
import { addToBacklog } from "../ledgers/backlog.ts";
import { readObject } from "../ledgers/objects.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import { type Execution, logValuesOf, outcomeOf } from "./execution.ts";
import type { WorkOutcome } from "./work-item.ts";

export type HoldReason = "PAUSED" | "DISABLED" | "OBJECT_FROZEN";

/**
 * Whether work must wait. What a route does is pinned by the version that was current when the event was routed, but
 * whether it runs at all is decided now: a person who disables a route means what is in flight, too.
 */
export async function holdReason({ services, item, route }: Execution): Promise<HoldReason | undefined> {
  const [pauses, current] = await Promise.all([
    services.pauses(item.tenantId),
    services.configs.current(item.tenantId),
  ]);
  if (Object.hasOwn(pauses, item.routeName)) return "PAUSED";
  const now = current === undefined ? undefined : effectiveRoute(current.config, item.routeName);
  if (now?.enabled === false) return "DISABLED";
  if (!route.freezeOnQuarantine || item.replayId !== undefined) return undefined;
  const { frozenBy } = await readObject(services.tables.objects, item);
  return frozenBy === undefined || frozenBy === item.workId ? undefined : "OBJECT_FROZEN";
}

/** Kept in the backlog, from where it goes on when the reason is gone. */
export async function holdWork(execution: Execution, reason: HoldReason): Promise<WorkOutcome> {
  const { services, log, item, route, now } = execution;
  const dueAt = new Date(now.getTime() + route.drainIntervalMin * 60_000);
  await addToBacklog(services.backlog, item, reason === "OBJECT_FROZEN" ? dueAt : now);
  await writeTimeline(services.commits.timeline, item.tenantId, item.correlationId, [
    { at: now, kind: "held", stepId: item.workId, routeName: item.routeName, details: { reason } },
  ]);
  log.event("work.held", { ...logValuesOf(item), action: reason });
  return outcomeOf("HELD");
}
