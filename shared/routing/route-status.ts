import { meetsSubject } from "../config/criteria.ts";
import { type EffectiveRoute, effectiveRoute } from "../config/effective.ts";
import type { Route, RouteConfig } from "../config/route-schema.ts";
import { type BacklogSize, countBacklog, listBacklogRoutes } from "../ledgers/backlog.ts";
import { type Pause, readPauses } from "../ledgers/route-states.ts";
import { listSubjectNames } from "../ledgers/subjects.ts";
import type { Services } from "../services.ts";

/** A route as it runs: what its configuration comes to, and what has happened to it since. */
export interface RouteStatus {
  readonly routeName: string;
  /** False for one that is gone from the configuration and has work waiting all the same. */
  readonly configured: boolean;
  readonly enabled: boolean;
  readonly paused?: Pause;
  readonly backlog: BacklogSize;
  readonly settings?: RouteSettings;
  /** Subjects that were observed and that its own subject matches. */
  readonly matchedSubjects?: readonly string[];
}

type RouteSettings = Omit<EffectiveRoute, "routeName" | "enabled" | "endpoint" | "operation">;

const mostCounted = 1000;
const mostSubjects = 50;

/** What all routes of a tenant share, read once for however many are shown. */
export interface RouteFacts {
  readonly config: RouteConfig;
  readonly pauses: Readonly<Record<string, Pause>>;
  readonly waiting: ReadonlySet<string>;
  readonly observed: readonly string[];
}

export async function readRouteFacts(services: Services, tenantId: string): Promise<RouteFacts> {
  const { tables, backlog } = services;
  const [current, pauses, waiting, observed] = await Promise.all([
    services.configs.current(tenantId),
    readPauses(tables.routeStates, tenantId),
    listBacklogRoutes(backlog.routes, tenantId),
    listSubjectNames(tables.subjects, tenantId),
  ]);
  return {
    config: current?.config ?? { routes: [] },
    pauses,
    waiting: new Set(waiting.map(({ routeName }) => routeName)),
    observed,
  };
}

/** Those that are configured, paused, or have work waiting. */
export function routeNamesOf({ config, pauses, waiting }: RouteFacts): string[] {
  const configured = config.routes.map(({ routeName }) => routeName);
  return [...new Set([...configured, ...Object.keys(pauses), ...waiting])].toSorted();
}

/** Only a route that has work waiting costs a query of its own. */
export async function routeStatus(
  { backlog }: Services,
  tenantId: string,
  { config, pauses, waiting, observed }: RouteFacts,
  routeName: string,
): Promise<RouteStatus> {
  const route = config.routes.find((one) => one.routeName === routeName);
  const effective = effectiveRoute(config, routeName);
  const paused = Object.hasOwn(pauses, routeName) ? pauses[routeName] : undefined;
  return {
    routeName,
    configured: route !== undefined,
    enabled: route?.enabled ?? false,
    ...(paused && { paused }),
    backlog: waiting.has(routeName)
      ? await countBacklog(backlog.backlog, tenantId, routeName, mostCounted)
      : { count: 0, isMore: false },
    ...(effective && { settings: settingsOf(effective) }),
    ...(route?.subject !== undefined && { matchedSubjects: matchedBy(route, observed) }),
  };
}

function settingsOf(route: EffectiveRoute): RouteSettings {
  const { routeName: _, enabled: __, endpoint: ___, operation: ____, ...settings } = route;
  return settings;
}

function matchedBy(route: Route, observed: readonly string[]): string[] {
  return observed.filter((subject) => meetsSubject(route, subject)).slice(0, mostSubjects);
}
