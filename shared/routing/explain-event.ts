import type { Caller } from "../access/caller.ts";
import { invalid } from "../api/invalid.ts";
import { effectiveRoute } from "../config/effective.ts";
import { configRefused } from "../config/replace-config.ts";
import type { RouteConfig } from "../config/route-schema.ts";
import { surroundingsOf } from "../config/surroundings-of.ts";
import { configHash } from "../config/config-hash.ts";
import { validateConfig } from "../config/validate.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { eventWithData } from "../events/find-event.ts";
import { Fault } from "../faults.ts";
import { readHead, readVersion } from "../ledgers/configs.ts";
import type { EventStatus } from "../ledgers/events.ts";
import type { RequestPreview } from "../operations/operation.ts";
import type { Services } from "../services.ts";
import { type ExplainedRoute, explainRoutes } from "./explain.ts";
import { ledgerKeyOf } from "./ledger-key.ts";
import { matchRoutes, type Matches } from "./match.ts";
import { statusOf } from "./route-event.ts";
import { type SampleEvent, sampleEnvelope } from "./sample-event.ts";

export interface ExplainWanted {
  readonly eventId?: string;
  readonly sample?: SampleEvent;
  readonly hash?: string;
  readonly config?: unknown;
}

export interface Explanation {
  readonly status: EventStatus;
  readonly hash: string;
  readonly routes: readonly (ExplainedRoute & Preview & { readonly paused?: true })[];
  readonly missing: Matches["missing"];
}

/** What would become of an event, or of a sample, with the request that would be sent. */
export async function explainEvent(
  services: Services,
  { tenantId }: Caller,
  wanted: ExplainWanted,
  now: Date,
): Promise<Explanation> {
  const [envelope, config, pauses] = await Promise.all([
    wantedEvent(services, tenantId, wanted, now),
    wantedConfig(services, tenantId, wanted),
    services.pauses(tenantId),
  ]);
  const { data } = envelope;
  const matches = matchRoutes(config, envelope, data);
  return {
    status: statusOf(matches),
    hash: configHash(config),
    routes: explainRoutes(config, envelope, data).map((route) => ({
      ...route,
      ...(Object.hasOwn(pauses, route.routeName) && { paused: true as const }),
      ...(route.outcome === "RUNS" && previewOf(services, tenantId, config, route, envelope)),
    })),
    missing: matches.missing,
  };
}

async function wantedEvent(
  services: Services,
  tenantId: string,
  { eventId, sample }: ExplainWanted,
  now: Date,
): Promise<Envelope> {
  if ((eventId === undefined) === (sample === undefined)) {
    throw invalid({ path: "body", message: "needs either eventId or sample" });
  }
  if (sample !== undefined) return sampleEnvelope(tenantId, sample, now);
  const found = await eventWithData(services, tenantId, eventId ?? "");
  if (found === undefined) throw new Fault("not-found");
  return found;
}

async function wantedConfig(
  services: Services,
  tenantId: string,
  { hash, config: raw }: ExplainWanted,
): Promise<RouteConfig> {
  if (raw !== undefined) {
    if (hash !== undefined) throw invalid({ path: "body", message: "takes hash or config, not both" });
    const { config, errors } = validateConfig(raw, await surroundingsOf(services, tenantId));
    if (config === undefined) throw configRefused(errors);
    return config;
  }
  const table = services.tables.configs;
  const version = hash ?? (await readHead(table, tenantId))?.hash;
  const config = version && (await readVersion(table, tenantId, version));
  if (!config) throw new Fault("not-found", "There is no such configuration.");
  return config;
}

interface Preview {
  readonly ledgerKey?: string;
  readonly request?: RequestPreview;
  readonly problem?: string;
}

/** What cannot be made of this event is for the person who asks to see, not for the log. */
function previewOf(
  services: Services,
  tenantId: string,
  config: RouteConfig,
  { routeName, subscriptionName }: ExplainedRoute,
  envelope: Envelope,
): Preview {
  const route = effectiveRoute(config, routeName);
  if (route === undefined) return {};
  try {
    const ledgerKey = ledgerKeyOf(route, envelope, subscriptionName);
    const input = { tenantId, routeName, envelope, idempotencyKey: ledgerKey, attempt: 1 };
    return { ledgerKey, request: services.bind(tenantId, route).preview(input) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
