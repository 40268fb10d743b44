import { formatPath, hasEach } from "../../json/paths.ts";
import { hasCriteria, mayBothMeet } from "../criteria.ts";
import { type Diagnostic, diagnostic } from "../diagnostic.ts";
import { byPrecedence, type Contender, effectOf } from "../precedence.ts";
import type { Filter, RouteConfig } from "../route-schema.ts";

interface Filtered extends Contender {
  readonly index: number;
  readonly filters: readonly Filter[];
}

/** Routes of which only one runs for some events: said once for each that loses, with the first that beats it. */
export function checkOverlaps(config: RouteConfig): Diagnostic[] {
  const shadowed = new Map<string, Diagnostic>();
  for (const rivals of rivalsOf(config)) {
    const ordered = rivals.toSorted(byPrecedence);
    for (const [place, loser] of ordered.entries()) {
      const { routeName } = loser.route;
      if (shadowed.has(routeName)) continue;
      const winner = ordered.slice(0, place).find((other) => collide(other, loser));
      if (winner !== undefined) shadowed.set(routeName, explain(winner, loser));
    }
  }
  return [...shadowed.values()];
}

/** Those with the same effect, together. */
function rivalsOf(config: RouteConfig): readonly (readonly Filtered[])[] {
  const byEffect = new Map<string, Filtered[]>();
  for (const contender of contendersOf(config)) {
    const effect = effectOf(config, contender.route);
    byEffect.set(effect, [...(byEffect.get(effect) ?? []), contender]);
  }
  return [...byEffect.values()];
}

/** Each way in which an enabled route can come into question. */
function contendersOf({ routes, subscriptions = [] }: RouteConfig): Filtered[] {
  return routes.flatMap((route, index) => {
    if (!route.enabled) return [];
    const filters = route.filters ?? [];
    const own = hasCriteria(route) ? [{ route, criteria: route, filters, index }] : [];
    const subscribed = subscriptions
      .filter(({ enabled, routeName }) => enabled && routeName === route.routeName)
      .map((criteria) => ({
        route,
        criteria,
        filters: [...filters, ...(criteria.filterJson ?? [])],
        index,
      }));
    return [...own, ...subscribed];
  });
}

function collide(left: Filtered, right: Filtered): boolean {
  if (left.route.routeName === right.route.routeName) return false;
  return mayBothMeet(left.criteria, right.criteria) && !exclude(left.filters, right.filters);
}

/** Filters on the same field that no event passes both. With `[*]` different items may pass, so that excludes nothing. */
function exclude(left: readonly Filter[], right: readonly Filter[]): boolean {
  return left.some((one) =>
    right.some(
      (other) =>
        one.path === other.path && !hasEach(one.path) && (opposed(one, other) || opposed(other, one)),
    ),
  );
}

function opposed(one: Filter, other: Filter): boolean {
  if (one.operator === "Exists") return other.operator === "NotExists";
  if (one.operator === "Contains") return other.operator === "NotContains" && one.value === other.value;
  if (one.operator !== "Equals") return false;
  return other.operator === "Equals"
    ? one.value !== other.value
    : other.operator === "NotEquals" && one.value === other.value;
}

function explain(winner: Filtered, loser: Filtered): Diagnostic {
  const message =
    `Where ${winner.route.routeName} matches as well, this route is skipped as SHADOWED, since both mean the same ` +
    `action at the same target. Give one another intendedAction if both shall run, or a priority to choose.`;
  return diagnostic("SHADOWED_ROUTE", formatPath(["routes", loser.index]), message);
}
