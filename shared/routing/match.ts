import { indexOf } from "../config/config-index.ts";
import { meetsAttributes } from "../config/criteria.ts";
import { byPrecedence, type Contender, effectOf } from "../config/precedence.ts";
import type { Route, RouteConfig, Subscription } from "../config/route-schema.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { filtersHold } from "./filters.ts";

/**
 * Which routes an event takes. A route is chosen by what it says of itself, or by a subscription that names it:
 *
 *   criteria met? -> enabled? (DISABLED) -> filters hold? (FILTERED) -> best for its action and target? (SHADOWED)
 *
 * The same configuration and event give the same answer everywhere: of routes that mean the same action at the same
 * target the one with the highest priority runs, then the most specific, then the first by name. Routes with another
 * action or another target run beside it.
 */
export interface Matches {
  readonly chosen: readonly Chosen[];
  readonly skipped: readonly Skipped[];
  /** Subscriptions that name no route there is: each is a CONFIG_MISSING. */
  readonly missing: readonly { readonly subscriptionName: string; readonly routeName: string }[];
}

export interface Chosen {
  readonly route: Route;
  /** Where the route did not match by itself. */
  readonly subscriptionName?: string;
}

export type SkipReason = "DISABLED" | "FILTERED" | "SHADOWED";

export interface Skipped {
  readonly routeName: string;
  readonly reason: SkipReason;
  readonly subscriptionName?: string;
}

export function matchRoutes(config: RouteConfig, envelope: Envelope, data: unknown): Matches {
  const { routes, missing } = candidatesFor(config, envelope, data);
  const chosen: Candidate[] = [];
  const skipped: Skipped[] = [];
  const taken = new Set<string>();
  for (const candidate of routes.toSorted(byPrecedence)) {
    const { route, subscription } = candidate;
    const effect = effectOf(config, route);
    const reason = reasonToSkip(candidate, data) ?? (taken.has(effect) ? "SHADOWED" : undefined);
    if (reason === undefined) {
      taken.add(effect);
      chosen.push(candidate);
    } else {
      skipped.push({ routeName: route.routeName, reason, ...named(subscription) });
    }
  }
  return {
    chosen: chosen.map(({ route, subscription }) => ({ route, ...named(subscription) })),
    skipped,
    missing,
  };
}

interface Candidate extends Contender {
  readonly subscription: Subscription | undefined;
  /** Of the subscription; those of the route are asked later. */
  readonly filtered: boolean;
}

/** Each route once. That it matches by itself counts before any subscription, an open one before one that filters. */
function candidatesFor(
  config: RouteConfig,
  envelope: Envelope,
  data: unknown,
): { readonly routes: readonly Candidate[]; readonly missing: Matches["missing"] } {
  const index = indexOf(config);
  const found = new Map<string, Candidate>();
  for (const route of index.routesFor(envelope.type)) {
    if (!meetsAttributes(route, envelope)) continue;
    found.set(route.routeName, { route, subscription: undefined, criteria: route, filtered: false });
  }
  const missing: { subscriptionName: string; routeName: string }[] = [];
  for (const subscription of index.subscriptions) {
    if (!meetsAttributes(subscription, envelope)) continue;
    const { routeName, subscriptionName, filterJson = [] } = subscription;
    const known = found.get(routeName);
    if (known?.filtered === false) continue;
    const filtered = !filtersHold(filterJson, data);
    const route = index.route(routeName);
    if (route === undefined && !filtered) missing.push({ subscriptionName, routeName });
    if (route === undefined || (known !== undefined && filtered)) continue;
    found.set(routeName, { route, subscription, criteria: subscription, filtered });
  }
  return { routes: [...found.values()], missing };
}

function reasonToSkip({ route, filtered }: Candidate, data: unknown): SkipReason | undefined {
  if (!route.enabled) return "DISABLED";
  return filtered || !filtersHold(route.filters ?? [], data) ? "FILTERED" : undefined;
}

function named(subscription: Subscription | undefined): { readonly subscriptionName?: string } {
  return subscription === undefined ? {} : { subscriptionName: subscription.subscriptionName };
}
