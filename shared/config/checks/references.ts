import { nearest } from "../../json/nearest.ts";
import { formatPath } from "../../json/paths.ts";
import { hasCriteria } from "../criteria.ts";
import { type Diagnostic, type DiagnosticCode, diagnostic } from "../diagnostic.ts";
import { retryProfileOf } from "../effective.ts";
import { keyFormulas, rateProfiles, retryProfiles } from "../profiles.ts";
import type { Route, RouteConfig } from "../route-schema.ts";

/** Whatever is named is there, and whatever is there can be reached. */
export function checkReferences(config: RouteConfig): Diagnostic[] {
  const { subscriptions = [] } = config;
  const routeNames = config.routes.map(({ routeName }) => routeName);
  const subscribed = new Set(subscriptions.map(({ routeName }) => routeName));
  return [
    ...config.routes.flatMap((route, index) => ofRoute(config, route, index, subscribed)),
    ...subscriptions.flatMap(({ routeName }, index) =>
      unknown("UNKNOWN_ROUTE", ["subscriptions", index, "routeName"], "route", routeName, routeNames),
    ),
  ];
}

function ofRoute(
  config: RouteConfig,
  route: Route,
  index: number,
  subscribed: ReadonlySet<string>,
): Diagnostic[] {
  const at = (...steps: readonly string[]): (string | number)[] => ["routes", index, ...steps];
  const { endpointKey, retryProfile, rateProfile, ledger } = route;
  return [
    ...unknown("UNKNOWN_ENDPOINT", at("endpointKey"), "endpoint", endpointKey, keys(config.endpoints)),
    ...unknown("UNKNOWN_RETRY_PROFILE", at("retryProfile"), "retry profile", retryProfile, [
      ...keys(retryProfiles),
      ...keys(config.retryProfiles),
    ]),
    ...unknown("UNKNOWN_RATE_PROFILE", at("rateProfile"), "rate profile", rateProfile, [
      ...keys(rateProfiles),
      ...keys(config.rateProfiles),
    ]),
    ...unknown("UNKNOWN_KEY_FORMULA", at("ledger", "keyFormulaRef"), "key formula", ledger?.keyFormulaRef, [
      ...keys(keyFormulas),
      ...keys(config.keyFormulas),
    ]),
    ...unreachable(route, at(), subscribed),
    ...tooManyRetries(config, route, at("maxRetries")),
  ];
}

function unknown(
  code: DiagnosticCode,
  path: readonly (string | number)[],
  kind: string,
  name: string | undefined,
  known: readonly string[],
): Diagnostic[] {
  if (name === undefined || known.includes(name)) return [];
  const meant = nearest(name, known);
  const there = known.length === 0 ? "there are none" : `there are ${known.slice(0, 20).join(", ")}`;
  const message = `There is no ${kind} ${name}; ${meant === undefined ? there : `did you mean ${meant}?`}`;
  return [diagnostic(code, formatPath(path), message, meant)];
}

function unreachable(
  route: Route,
  path: readonly (string | number)[],
  subscribed: ReadonlySet<string>,
): Diagnostic[] {
  if (hasCriteria(route) || subscribed.has(route.routeName)) return [];
  const message =
    "Nothing can match this route: give it a subject, sourceSystem, objectType, eventType or connectionId, " +
    "or a subscription that names it.";
  return [diagnostic("UNREACHABLE_ROUTE", formatPath(path), message)];
}

function tooManyRetries(config: RouteConfig, route: Route, path: readonly (string | number)[]): Diagnostic[] {
  const allowed = retryProfileOf(config, route)?.waitsSeconds.length;
  if (route.maxRetries === undefined || allowed === undefined || route.maxRetries <= allowed) return [];
  const message = `The retry profile has ${allowed} waits, so there cannot be ${route.maxRetries} retries.`;
  return [diagnostic("TOO_MANY_RETRIES", formatPath(path), message, String(allowed))];
}

function keys(table: object | undefined): string[] {
  return Object.keys(table ?? {});
}
