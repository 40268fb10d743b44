import { compareSpecificity, type Criteria } from "./criteria.ts";
import { intendedActionOf, targetSystemOf } from "./effective.ts";
import type { Route, RouteConfig } from "./route-schema.ts";

/** A route, and by which criteria it came into question: its own, or those of a subscription that names it. */
export interface Contender {
  readonly route: Route;
  readonly criteria: Criteria;
}

/** Routes with the same effect do the same action at the same target: for one event only the first of them runs. */
export function effectOf(config: RouteConfig, route: Route): string {
  return JSON.stringify([intendedActionOf(route), targetSystemOf(config, route)]);
}

/** The one that runs comes first: by priority, then the more specific, then by name. */
export function byPrecedence(left: Contender, right: Contender): number {
  return (
    (right.route.priority ?? 0) - (left.route.priority ?? 0) ||
    compareSpecificity(right.criteria, left.criteria) ||
    byText(left.route.routeName, right.route.routeName)
  );
}

/** By code units: the order of a locale may differ between hosts. */
export function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
