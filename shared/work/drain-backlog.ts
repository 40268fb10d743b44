import { effectiveRoute, type EffectiveRoute } from "../config/effective.ts";
import {
  type BacklogRoute,
  findBacklogRoute,
  forgetBacklogRoute,
  listBacklogRoutes,
  postponeBacklog,
  removeFromBacklog,
  takeFromBacklog,
} from "../ledgers/backlog.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { scheduleWork } from "./schedule.ts";

/** Puts work that waits on the queue, for each route as much as it wants at a time. */
export async function drainBacklog(services: Services, log: Log, now: Date): Promise<void> {
  for (const waiting of await listBacklogRoutes(services.backlog.routes)) {
    if (waiting.dueAt > now) continue;
    // One tenant's trouble keeps no other's work waiting.
    await drainRoute(services, log, waiting, now).catch((error: unknown) => {
      const { tenantId, routeName } = waiting;
      const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      log.event("sweep.failed", { tenantId, routeName, errorCode: "NOT_DRAINED", detail });
    });
  }
}

/** Without waiting for its turn, because a person asks for it; answers how much was put on the queue. */
export async function drainRouteNow(
  services: Services,
  log: Log,
  tenantId: string,
  routeName: string,
  now: Date,
): Promise<number> {
  const waiting = await findBacklogRoute(services.backlog.routes, tenantId, routeName);
  return waiting === undefined ? 0 : drainRoute(services, log, waiting, now);
}

async function drainRoute(services: Services, log: Log, waiting: BacklogRoute, now: Date): Promise<number> {
  const { tenantId, routeName } = waiting;
  const route = await runningRoute(services, waiting);
  if (route === undefined) return 0;
  const { backlog, routes } = services.backlog;
  let drained = 0;
  let oldest: Date | undefined;
  for (let cycle = 0; cycle < route.maxCyclesPerRun; cycle++) {
    const work = await takeFromBacklog(backlog, tenantId, routeName, route.workerBatchSize);
    await Promise.all(work.map(({ item }) => scheduleWork(services, item)));
    await removeFromBacklog(backlog, tenantId, routeName, work);
    drained += work.length;
    oldest ??= work[0]?.waitingSince;
    if (work.length < route.workerBatchSize) {
      await forgetBacklogRoute(routes, waiting);
      break;
    }
  }
  await postponeBacklog(routes, waiting, new Date(now.getTime() + pauseMs(route)));
  if (drained === 0) return 0;
  log.event("backlog.drained", {
    tenantId,
    routeName,
    count: drained,
    // How long the oldest has waited.
    durationMs: oldest === undefined ? undefined : now.getTime() - oldest.getTime(),
  });
  return drained;
}

/** What was only held, while the route was paused or disabled, is not paced: it goes on with the next run. */
function pauseMs({ mode, drainIntervalMin }: EffectiveRoute): number {
  return mode === "drain" ? drainIntervalMin * 60_000 : 0;
}

/** Undefined while the route is paused, disabled or gone: what waits for it goes on waiting. */
async function runningRoute(
  services: Services,
  { tenantId, routeName }: BacklogRoute,
): Promise<EffectiveRoute | undefined> {
  const current = await services.configs.current(tenantId);
  const route = current === undefined ? undefined : effectiveRoute(current.config, routeName);
  if (route === undefined || !route.enabled) return undefined;
  return Object.hasOwn(await services.pauses(tenantId), routeName) ? undefined : route;
}
