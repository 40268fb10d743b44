import { hasCriteria, meetsSubject } from "./criteria.ts";
import { byText } from "./precedence.ts";
import { createRecentMap } from "./recent-map.ts";
import type { Route, RouteConfig, Subscription } from "./route-schema.ts";

/** A configuration arranged for matching, once for all events: comparing patterns is most of the work. */
export interface ConfigIndex {
  readonly route: (routeName: string) => Route | undefined;
  /** Routes that match by themselves, as far as the subject goes. */
  readonly routesFor: (subject: string) => readonly Route[];
  /** Those that are enabled, in the order of their names. */
  readonly subscriptions: readonly Subscription[];
}

/** Some sources let their senders choose the subject, so there may be any number. */
const keptSubjects = 1_000;

const indexes = new WeakMap<RouteConfig, ConfigIndex>();

export function indexOf(config: RouteConfig): ConfigIndex {
  const index = indexes.get(config) ?? createIndex(config);
  indexes.set(config, index);
  return index;
}

function createIndex({ routes, subscriptions = [] }: RouteConfig): ConfigIndex {
  const byName = new Map(routes.map((route) => [route.routeName, route]));
  const bySubject = createRecentMap<readonly Route[]>(keptSubjects);
  return {
    route: (routeName) => byName.get(routeName),
    routesFor: (subject) => {
      const known = bySubject.get(subject);
      if (known !== undefined) return known;
      const found = routes.filter((route) => hasCriteria(route) && meetsSubject(route, subject));
      bySubject.set(subject, found);
      return found;
    },
    subscriptions: subscriptions
      .filter(({ enabled }) => enabled)
      .toSorted((left, right) => byText(left.subscriptionName, right.subscriptionName)),
  };
}
