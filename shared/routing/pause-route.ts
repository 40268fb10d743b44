import type { Caller } from "../access/caller.ts";
import { Fault } from "../faults.ts";
import { forgetDeadLetters, pauseRoute, readPauses, resumeRoute } from "../ledgers/route-states.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { drainRouteNow } from "../work/drain-backlog.ts";

/** What arrives for the route from now on waits. Answers whether it was running. */
export async function pause(
  services: Services,
  { tenantId, keyId }: Caller,
  routeName: string,
  reason: string,
  now: Date,
): Promise<boolean> {
  const current = await services.configs.current(tenantId);
  if (current?.config.routes.every((route) => route.routeName !== routeName) !== false)
    throw new Fault("not-found");
  const stop = { reason, at: now.toISOString(), by: keyId };
  const wasRunning = await pauseRoute(services.tables.routeStates, tenantId, routeName, stop);
  services.forgetPauses(tenantId);
  return wasRunning;
}

export interface Resumed {
  /** Whether it was paused. */
  readonly wasPaused: boolean;
  readonly drained: number;
}

/** Lets the route go on with what waits. What became dead letters before counts no longer: the cause is mended. */
export async function resume(
  services: Services,
  log: Log,
  { tenantId }: Caller,
  routeName: string,
  now: Date,
): Promise<Resumed> {
  const { routeStates } = services.tables;
  const current = await services.configs.current(tenantId);
  const isConfigured = current?.config.routes.some((route) => route.routeName === routeName) === true;
  // A route that was taken out of the configuration while it was paused can still be resumed.
  if (!isConfigured && !Object.hasOwn(await readPauses(routeStates, tenantId), routeName))
    throw new Fault("not-found");
  await forgetDeadLetters(routeStates, tenantId, routeName);
  const wasPaused = await resumeRoute(routeStates, tenantId, routeName);
  services.forgetPauses(tenantId);
  return { wasPaused, drained: await drainRouteNow(services, log, tenantId, routeName, now) };
}
