import { stableId } from "../envelope/ids.ts";
import { raiseEscalation } from "../ledgers/escalations.ts";
import type { Failure } from "../ledgers/failures.ts";
import { countDeadLetter, pauseRoute, readPauses } from "../ledgers/route-states.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";

interface Limit {
  readonly limit: number;
  readonly windowMin: number;
}

/**
 * A mistake in the configuration would make a dead letter of everything that comes. After so many in so short a time
 * the route is paused: what comes next waits in the backlog, and a person is told once. Told first: a crash between
 * leaves a route that runs a little longer, not one that has stopped without a word.
 */
export async function guardAgainstFlood(
  services: Services,
  log: Log,
  failure: Failure,
  { limit, windowMin }: Limit,
  now: Date,
): Promise<void> {
  const { tenantId, routeName } = failure;
  const { routeStates, escalations } = services.tables;
  const windowMs = windowMin * 60_000;
  const { count, since } = await countDeadLetter(routeStates, tenantId, routeName, now, windowMs);
  if (count < limit || Object.hasOwn(await readPauses(routeStates, tenantId), routeName)) return;
  const at = now.toISOString();
  const reason = `${count} dead letters within ${windowMin} min, the last with ${failure.code}`;
  const cause = `pause:${routeName}:${since.toISOString()}`;
  const isFirst = await raiseEscalation(escalations, tenantId, cause, {
    escalationId: stableId("escalation", tenantId, cause),
    raisedAt: at,
    code: "ROUTE_PAUSED",
    message: `Route '${routeName}' was paused: ${reason}. What arrives for it waits in the backlog.`,
    runbook: "disable-route",
    routeName,
    correlationId: failure.correlationId,
    objectId: failure.objectId,
    classification: failure.classification,
    failureId: failure.failureId,
  });
  await pauseRoute(routeStates, tenantId, routeName, { reason, at, by: "flood-guard" });
  services.forgetPauses(tenantId);
  if (!isFirst) return;
  log.event("route.paused", {
    tenantId,
    routeName,
    correlationId: failure.correlationId,
    count,
    errorCode: failure.code,
  });
}
