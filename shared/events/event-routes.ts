import { effectiveRoute } from "../config/effective.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { isInBacklog } from "../ledgers/backlog.ts";
import { type Effect, findEffect } from "../ledgers/effects.ts";
import type { EventSummary } from "../ledgers/events.ts";
import { type Failure, findFailure } from "../ledgers/failures.ts";
import type { TimelineEntry } from "../ledgers/timeline.ts";
import { ledgerKeyOf } from "../routing/ledger-key.ts";
import { matchRoutes } from "../routing/match.ts";
import type { Services } from "../services.ts";
import { PayloadProblem } from "../sources/source.ts";
import { readWorkItem } from "../work/read-work-item.ts";
import { workIdOf } from "../work/work-item.ts";
import { progressOf, type ProgressState } from "./route-progress.ts";

/** What became of an event on one route. */
export interface EventRoute {
  readonly routeName: string;
  readonly state: ProgressState;
  readonly reason?: string;
  readonly subscriptionName?: string;
  readonly ledger?: { readonly key: string } & Effect;
  readonly failure?: Failure;
}

/** Few point reads for each route: its failure, its row in the ledger and, while it waits, the backlog. */
export async function eventRoutes(
  services: Services,
  envelope: Envelope,
  summary: EventSummary | undefined,
  timeline: readonly TimelineEntry[],
): Promise<EventRoute[]> {
  const named = timeline.flatMap(({ routeName }) => (routeName === undefined ? [] : [routeName]));
  const routeNames = [...new Set([...(summary?.routes ?? []), ...named])];
  return Promise.all(
    routeNames.map((routeName) => eventRoute(services, envelope, summary, timeline, routeName)),
  );
}

async function eventRoute(
  services: Services,
  envelope: Envelope,
  summary: EventSummary | undefined,
  timeline: readonly TimelineEntry[],
  routeName: string,
): Promise<EventRoute> {
  const { tenantid: tenantId, id, correlationid: correlationId } = envelope;
  const workId = workIdOf(id, routeName);
  const failure = await findFailure(services.failures.failures, tenantId, workId);
  const pinned = await pinnedBy(services, envelope, summary, routeName, failure);
  const [effect, inBacklog] = await Promise.all([
    pinned.key === undefined ? undefined : findEffect(services.tables.effects, { tenantId, key: pinned.key }),
    summary !== undefined &&
      isInBacklog(services.backlog.backlog, { tenantId, routeName, routedAt: summary.routedAt, workId }),
  ]);
  const steps = timeline.filter((step) => step.routeName === routeName);
  const state = progressOf({ steps, effect, failure, inBacklog, correlationId });
  const reason = reasonOf(steps);
  return {
    routeName,
    state,
    ...((state === "SKIPPED" || state === "WAITING") && reason !== undefined && { reason }),
    ...(pinned.subscriptionName !== undefined && { subscriptionName: pinned.subscriptionName }),
    ...(pinned.key !== undefined && effect && { ledger: { ...effect, key: pinned.key } }),
    ...(failure && { failure }),
  };
}

/** By which key the route remembers the event: made again, from the version that the work was last made with. */
async function pinnedBy(
  services: Services,
  envelope: Envelope,
  summary: EventSummary | undefined,
  routeName: string,
  failure: Failure | undefined,
): Promise<{ readonly key?: string; readonly subscriptionName?: string }> {
  const item = failure && readWorkItem(parsed(failure.workItem));
  const hash = item?.configHash ?? summary?.configHash;
  const version = hash && (await services.configs.version(envelope.tenantid, hash));
  if (!version) return {};
  const route = effectiveRoute(version.config, routeName);
  const { chosen } = matchRoutes(version.config, envelope, envelope.data);
  const match = chosen.find((one) => one.route.routeName === routeName);
  const subscriptionName = item?.subscriptionName ?? match?.subscriptionName;
  const subscription = subscriptionName === undefined ? {} : { subscriptionName };
  if (route?.ledger.required !== true) return subscription;
  try {
    return { ...subscription, key: ledgerKeyOf(route, envelope, subscriptionName) };
  } catch (error) {
    // Then there is no row either: the work failed with KEY_INCOMPLETE.
    if (error instanceof PayloadProblem) return subscription;
    throw error;
  }
}

function reasonOf(steps: readonly TimelineEntry[]): string | undefined {
  const reason = steps.findLast(({ details }) => details?.["reason"] !== undefined)?.details?.["reason"];
  return typeof reason === "string" ? reason : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
