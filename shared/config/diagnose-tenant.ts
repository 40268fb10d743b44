import { genericSubjectPrefix } from "../ingest/make-envelope.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { nearest } from "../json/nearest.ts";
import { formatPath } from "../json/paths.ts";
import type { ObservedSubject } from "../ledgers/subjects.ts";
import { checkSurroundings } from "./checks/surroundings.ts";
import { type Criteria, hasCriteria, meetsAttributes, meetsSubject } from "./criteria.ts";
import { dataPathsOf } from "./data-paths.ts";
import { mayHold } from "./observed-paths.ts";
import { byText } from "./precedence.ts";
import type { Route, RouteConfig } from "./route-schema.ts";

/** What can be said of a configuration once events have come in. `atStart`: also logged when a host first loads it. */
export const tenantDiagnosticCodes = {
  UNKNOWN_SUBJECT: { atStart: true, means: "The route's subject is neither known nor was it ever observed." },
  UNKNOWN_CONNECTION: { atStart: true, means: "There is no connection with this id." },
  PATH_NEVER_OBSERVED: { atStart: true, means: "A filter, a template or a key reads what no payload held." },
  ROUTE_NEVER_MATCHED: { atStart: false, means: "Nothing that was observed meets the route's criteria." },
  SUBSCRIPTION_NEVER_MATCHED: { atStart: false, means: "Nothing that was observed meets the subscription." },
  SUBJECT_UNCONSUMED: { atStart: false, means: "Events with this subject come in, and no route takes them." },
} as const;

export type TenantDiagnosticCode = keyof typeof tenantDiagnosticCodes;

export interface TenantDiagnostic {
  readonly code: TenantDiagnosticCode;
  /** Where in the configuration; absent for a subject that nothing in it names. */
  readonly path?: string;
  readonly subject?: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** What tells events apart for routing, of an event that came in lately. */
export type EventKind = Pick<Envelope, "type" | "sourcesystem" | "connectionid" | "objecttype" | "eventtype">;

export interface Observations {
  /** Of the event catalog. */
  readonly knownSubjects: readonly string[];
  readonly observed: readonly ObservedSubject[];
  /** Each once; observed subjects alone do not tell object types. */
  readonly recentKinds: readonly EventKind[];
  readonly connections: readonly string[];
}

/** Compares a configuration with what really came in. Where nothing has yet, only names can be wrong. */
export function diagnoseTenant(config: RouteConfig, observations: Observations): TenantDiagnostic[] {
  const { knownSubjects, observed, connections } = observations;
  const names = [...knownSubjects, ...observed.map(({ subject }) => subject)];
  const ofNames = checkSurroundings(config, { knownSubjects: names, connections }).flatMap(
    ({ code, path, message, suggestion }): TenantDiagnostic[] =>
      code === "UNKNOWN_SUBJECT" || code === "UNKNOWN_CONNECTION"
        ? [{ code, path, message, ...(suggestion !== undefined && { suggestion }) }]
        : [],
  );
  if (observed.length === 0) return ofNames;
  return [
    ...ofNames,
    ...unobservedPaths(config, observations),
    ...neverMatched(config, observations),
    ...unconsumed(config, observations),
  ];
}

/** By which criteria events come to a route: its own, and those of subscriptions that name it. */
function waysTo(route: Route, { subscriptions = [] }: RouteConfig): Criteria[] {
  const own = hasCriteria(route) ? [route] : [];
  return [
    ...own,
    ...subscriptions.filter(({ enabled, routeName }) => enabled && routeName === route.routeName),
  ];
}

function subjectsMet(criteria: Criteria, { observed, recentKinds }: Observations): Set<string> {
  const met = recentKinds.filter(
    (kind) => meetsSubject(criteria, kind.type) && meetsAttributes(criteria, kind),
  );
  const subjects = new Set(met.map(({ type }) => type));
  // A subject says all there is to say only where nothing else is asked for.
  const { subject, ...others } = pickCriteria(criteria);
  if (subject !== undefined && !hasCriteria(others)) {
    for (const one of observed) if (meetsSubject(criteria, one.subject)) subjects.add(one.subject);
  }
  return subjects;
}

function pickCriteria({ subject, sourceSystem, connectionId, objectType, eventType }: Criteria): Criteria {
  return { subject, sourceSystem, connectionId, objectType, eventType };
}

function unobservedPaths(config: RouteConfig, observations: Observations): TenantDiagnostic[] {
  const shapes = new Map(observations.observed.map(({ subject, fieldPaths }) => [subject, fieldPaths]));
  return config.routes.flatMap((route, index) => {
    const subjects = waysTo(route, config).flatMap((way) => [...subjectsMet(way, observations)]);
    const seen = [...new Set(subjects)].flatMap((subject) => {
      const shape = shapes.get(subject) ?? [];
      return shape.length === 0 ? [] : [shape];
    });
    if (seen.length === 0) return [];
    return dataPathsOf(config, route, index)
      .filter(({ dataPath }) => !seen.some((shape) => mayHold(shape, dataPath)))
      .map(({ path, dataPath }): TenantDiagnostic => {
        const meant = nearest(dataPath, new Set(seen.flat()));
        const message = `${dataPath} is in none of the payloads that came for ${route.routeName} so far`;
        return {
          code: "PATH_NEVER_OBSERVED",
          path,
          message: meant === undefined ? `${message}.` : `${message}; did you mean ${meant}?`,
          ...(meant !== undefined && { suggestion: meant }),
        };
      });
  });
}

function neverMatched(config: RouteConfig, observations: Observations): TenantDiagnostic[] {
  const isDead = (criteria: Criteria): boolean => subjectsMet(criteria, observations).size === 0;
  const compared = `${observations.observed.length} observed subjects`;
  const ofRoutes = config.routes.flatMap((route, index): TenantDiagnostic[] => {
    const ways = waysTo(route, config);
    if (!route.enabled || ways.some((way) => !isDead(way))) return [];
    const message = `Nothing among ${compared} is for ${route.routeName}.`;
    return [{ code: "ROUTE_NEVER_MATCHED", path: formatPath(["routes", index]), message }];
  });
  const ofSubscriptions = (config.subscriptions ?? []).flatMap((subscription, index): TenantDiagnostic[] => {
    if (!subscription.enabled || !isDead(subscription)) return [];
    const message = `Nothing among ${compared} is for ${subscription.subscriptionName}.`;
    return [{ code: "SUBSCRIPTION_NEVER_MATCHED", path: formatPath(["subscriptions", index]), message }];
  });
  return [...ofRoutes, ...ofSubscriptions];
}

function unconsumed(config: RouteConfig, observations: Observations): TenantDiagnostic[] {
  const ways = config.routes.filter(({ enabled }) => enabled).flatMap((route) => waysTo(route, config));
  const consumed = new Set(ways.flatMap((way) => [...subjectsMet(way, observations)]));
  const recent = new Set(observations.recentKinds.map(({ type }) => type));
  return (
    observations.observed
      .filter(({ subject }) => !consumed.has(subject) && !subject.startsWith(genericSubjectPrefix))
      // One that has not come lately may be what a route asks for by more than its subject: nobody knows.
      .filter(({ subject }) => recent.has(subject) || !ways.some((way) => meetsSubject(way, subject)))
      .toSorted((a, b) => byText(a.subject, b.subject))
      .map(({ subject, count }) => {
        const message = `About ${count} events with the subject ${subject} came in, and no route takes them.`;
        return { code: "SUBJECT_UNCONSUMED", subject, message };
      })
  );
}
