import type { Criteria } from "../config/criteria.ts";
import { meetsAttributes, meetsSubject } from "../config/criteria.ts";
import { effectiveRoute } from "../config/effective.ts";
import { byText, effectOf } from "../config/precedence.ts";
import type { Filter, Route, RouteConfig } from "../config/route-schema.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { explainFilters } from "./filters.ts";
import { matchRoutes, type Matches, type SkipReason } from "./match.ts";

/** What would become of an event on one route, and what decides it. */
export interface ExplainedRoute {
  readonly routeName: string;
  readonly outcome: "RUNS" | SkipReason | "NO_MATCH";
  readonly subscriptionName?: string;
  readonly shadowedBy?: string;
  /** Of the route's own criteria. A route that a subscription chose may have some, or none. */
  readonly unmet: readonly UnmetCriterion[];
  readonly filters: readonly ExplainedFilter[];
  readonly mode?: "queue" | "inline" | "drain";
}

export interface UnmetCriterion {
  readonly criterion: keyof Criteria;
  readonly wanted: string;
  readonly found: string;
}

export interface ExplainedFilter extends Filter {
  readonly holds: boolean;
  readonly found: readonly unknown[];
}

/** Every route of a configuration, those that would run first. It asks the router itself, so it cannot differ. */
export function explainRoutes(config: RouteConfig, envelope: Envelope, data: unknown): ExplainedRoute[] {
  const matches = matchRoutes(config, envelope, data);
  return config.routes
    .map((route) => explained(config, route, matches, envelope, data))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || byText(a.routeName, b.routeName));
}

function explained(
  config: RouteConfig,
  route: Route,
  { chosen, skipped }: Matches,
  envelope: Envelope,
  data: unknown,
): ExplainedRoute {
  const { routeName } = route;
  const runs = chosen.find((one) => one.route.routeName === routeName);
  const skip = skipped.find((one) => one.routeName === routeName);
  const subscriptionName = (runs ?? skip)?.subscriptionName;
  const filters = [...(route.filters ?? []), ...filtersOf(config, subscriptionName)];
  const winner = chosen.find((one) => effectOf(config, one.route) === effectOf(config, route));
  const mode = effectiveRoute(config, routeName)?.mode;
  return {
    routeName,
    outcome: runs === undefined ? (skip?.reason ?? "NO_MATCH") : "RUNS",
    ...(subscriptionName !== undefined && { subscriptionName }),
    ...(skip?.reason === "SHADOWED" && winner && { shadowedBy: winner.route.routeName }),
    unmet: unmetCriteria(route, envelope),
    filters: explainFilters(filters, data).map(({ filter, ...saw }) => ({ ...filter, ...saw })),
    ...(mode && { mode }),
  };
}

function filtersOf({ subscriptions = [] }: RouteConfig, subscriptionName: string | undefined): Filter[] {
  return subscriptions.find((one) => one.subscriptionName === subscriptionName)?.filterJson ?? [];
}

const attributes = {
  sourceSystem: "sourcesystem",
  connectionId: "connectionid",
  objectType: "objecttype",
  eventType: "eventtype",
} as const;

function unmetCriteria(route: Criteria, envelope: Envelope): UnmetCriterion[] {
  const unmet: UnmetCriterion[] = [];
  if (!meetsSubject(route, envelope.type)) {
    unmet.push({ criterion: "subject", wanted: route.subject ?? "", found: envelope.type });
  }
  for (const criterion of ["sourceSystem", "connectionId", "objectType", "eventType"] as const) {
    const wanted = route[criterion];
    if (wanted === undefined || meetsAttributes({ [criterion]: wanted }, envelope)) continue;
    unmet.push({ criterion, wanted, found: envelope[attributes[criterion]] });
  }
  return unmet;
}

const ranks = { RUNS: 0, SHADOWED: 1, FILTERED: 2, DISABLED: 3, NO_MATCH: 4 } as const;

function rankOf({ outcome }: ExplainedRoute): number {
  return ranks[outcome];
}
