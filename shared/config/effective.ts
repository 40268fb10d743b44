import {
  defaultJitter,
  defaultPace,
  defaultProfile,
  keyFormulas,
  named,
  rateProfiles,
  retryProfiles,
} from "./profiles.ts";
import type { Endpoint, RateProfile, RetryProfile, Route, RouteConfig } from "./route-schema.ts";

/** A route with everything it left open filled in: what the router and the workers go by. */
export interface EffectiveRoute {
  readonly routeName: string;
  readonly enabled: boolean;
  readonly mode: "queue" | "inline" | "drain";
  /** Undefined: no limit. */
  readonly rateLimitPerMin: number | undefined;
  readonly workerBatchSize: number;
  readonly drainIntervalMin: number;
  readonly maxCyclesPerRun: number;
  /** The pause before each retry; there are as many retries as pauses. */
  readonly waitsSeconds: readonly number[];
  readonly jitter: number;
  readonly maxRetries: number;
  readonly ledger: {
    readonly required: boolean;
    readonly uniquenessLevel: "record" | "operation";
    /** The formula the route names; without one the level decides, see `routing/ledger-key.ts`. */
    readonly keyFormula: readonly string[] | undefined;
    readonly retentionDays: number;
  };
  readonly inDoubt: "retry" | "park";
  readonly staleGuard: boolean;
  readonly freezeOnQuarantine: boolean;
  readonly floodGuard: { readonly limit: number; readonly windowMin: number };
  readonly endpointKey: string;
  readonly endpoint: Endpoint;
  readonly targetSystem: string;
  readonly intendedAction: string;
  readonly operation: Route["operation"];
  readonly alertChannel: string | undefined;
}

/** A configuration never changes once it is stored, so each route of it is resolved once. */
const resolvedRoutes = new WeakMap<RouteConfig, ReadonlyMap<string, EffectiveRoute | undefined>>();

/** Undefined where there is no such route, or where it names what is not there: that is CONFIG_MISSING. */
export function effectiveRoute(config: RouteConfig, routeName: string): EffectiveRoute | undefined {
  let routes = resolvedRoutes.get(config);
  if (routes === undefined) {
    routes = new Map(config.routes.map((route) => [route.routeName, resolved(config, route)]));
    resolvedRoutes.set(config, routes);
  }
  return routes.get(routeName);
}

function resolved(config: RouteConfig, route: Route): EffectiveRoute | undefined {
  const { endpointKey, routeName, enabled, operation, alertChannel } = route;
  const endpoint = named(config.endpoints, endpointKey);
  const pace = rateProfileOf(config, route);
  const retry = retryProfileOf(config, route);
  const keyFormula = keyFormulaOf(config, route);
  if (!endpoint || !pace || !retry || keyFormula === "unknown") return undefined;
  const waitsSeconds = retry.waitsSeconds.slice(0, route.maxRetries);
  return {
    routeName,
    enabled,
    mode: route.mode ?? pace.mode ?? defaultPace.mode,
    rateLimitPerMin: route.rateLimitPerMin ?? pace.rateLimitPerMin,
    workerBatchSize: route.workerBatchSize ?? pace.workerBatchSize ?? defaultPace.workerBatchSize,
    drainIntervalMin: route.drainIntervalMin ?? pace.drainIntervalMin ?? defaultPace.drainIntervalMin,
    maxCyclesPerRun: route.maxCyclesPerRun ?? pace.maxCyclesPerRun ?? defaultPace.maxCyclesPerRun,
    waitsSeconds,
    jitter: retry.jitter ?? defaultJitter,
    maxRetries: waitsSeconds.length,
    ledger: {
      required: route.ledger?.required ?? true,
      uniquenessLevel: route.ledger?.uniquenessLevel ?? "operation",
      keyFormula,
      retentionDays: route.ledger?.retentionDays ?? 90,
    },
    inDoubt: route.inDoubt ?? "park",
    staleGuard: route.staleGuard ?? false,
    freezeOnQuarantine: route.freezeOnQuarantine ?? false,
    floodGuard: route.floodGuard ?? { limit: 50, windowMin: 5 },
    endpointKey,
    endpoint,
    targetSystem: targetSystemOf(config, route),
    intendedAction: intendedActionOf(route),
    operation,
    alertChannel,
  };
}

export function targetSystemOf(config: RouteConfig, { endpointKey }: Route): string {
  return named(config.endpoints, endpointKey)?.targetSystem ?? endpointKey;
}

export function intendedActionOf({ intendedAction, operation }: Route): string {
  return intendedAction ?? operation.method ?? "POST";
}

export function retryProfileOf(config: RouteConfig, route: Route): RetryProfile | undefined {
  const name = route.retryProfile ?? defaultProfile;
  return named<RetryProfile>(retryProfiles, name) ?? named(config.retryProfiles, name);
}

export function rateProfileOf(config: RouteConfig, route: Route): RateProfile | undefined {
  const name = route.rateProfile ?? defaultProfile;
  return named<RateProfile>(rateProfiles, name) ?? named(config.rateProfiles, name);
}

/** Undefined where the route names none. */
export function keyFormulaOf(config: RouteConfig, route: Route): readonly string[] | "unknown" | undefined {
  const name = route.ledger?.keyFormulaRef;
  if (name === undefined) return undefined;
  return named<readonly string[]>(keyFormulas, name) ?? named(config.keyFormulas, name) ?? "unknown";
}
