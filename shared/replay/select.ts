import { invalid } from "../api/invalid.ts";
import { subjectsOverlap } from "../catalog/subject-pattern.ts";
import { type FailureHead, reversed } from "../ledgers/failure-index-row.ts";
import { listFailures } from "../ledgers/failure-index.ts";
import { type EventSummary, listEvents } from "../ledgers/events.ts";
import type { Services } from "../services.ts";
import type { EventSelector, FailureSelector, Selected, Selector } from "./selector.ts";

export interface SelectedPage {
  readonly items: readonly Selected[];
  /** Where the next page begins; absent when there is no more. */
  readonly after?: string;
}

/**
 * What a selector means, the newest first. Nothing that came after `until` is part of it, so that a replay never meets
 * its own failures.
 */
export async function selectPage(
  services: Services,
  tenantId: string,
  selector: Selector,
  until: Date,
  limit: number,
  after?: string,
): Promise<SelectedPage> {
  if ("failureIds" in selector) {
    return slice(selector.failureIds, limit, after, (failureId) => ({ kind: "failure", failureId }));
  }
  if ("failures" in selector) return failuresOf(services, tenantId, selector.failures, until, limit, after);
  const { eventIds } = selector.events;
  if (eventIds !== undefined) {
    return slice(eventIds, limit, after, (id) => ({ kind: "event", eventId: id, correlationId: id }));
  }
  return eventsOf(services, tenantId, selector.events, until, limit, after);
}

function slice(
  ids: readonly string[],
  limit: number,
  after: string | undefined,
  selected: (id: string) => Selected,
): SelectedPage {
  const start = Number(after ?? 0);
  const items = ids.slice(start, start + limit).map(selected);
  return start + limit < ids.length ? { items, after: String(start + limit) } : { items };
}

async function failuresOf(
  services: Services,
  tenantId: string,
  { state, routeName, classification, code, from, to }: FailureSelector,
  until: Date,
  limit: number,
  after: string | undefined,
): Promise<SelectedPage> {
  const query = {
    tenantId,
    states: state === undefined ? (["Parked", "Quarantined"] as const) : [state],
    from: from === undefined ? undefined : new Date(from),
    to: earlier(to, until),
    after,
    accepts: (head: FailureHead) =>
      is(routeName, head.routeName) && is(classification, head.classification) && is(code, head.code),
  };
  const { items, ...rest } = await listFailures(services.failures, query, limit);
  return { items: items.map(({ failureId }) => ({ kind: "failure", failureId })), ...rest };
}

/** Pages may come back empty where few of many events are wanted; so many are looked for one that has any. */
const mostPages = 5;

async function eventsOf(
  services: Services,
  tenantId: string,
  { from, to, sourceSystem, connectionId, subject }: EventSelector,
  until: Date,
  limit: number,
  after: string | undefined,
): Promise<SelectedPage> {
  const accepts = (event: EventSummary): boolean =>
    is(sourceSystem, event.sourceSystem) &&
    is(connectionId, event.connectionId) &&
    (subject === undefined || subjectsOverlap(subject, event.subject));
  const range = { tenantId, from: new Date(from ?? until), to: earlier(to, until), limit, accepts };
  if (after !== undefined && !isWithin(after, range)) {
    throw invalid({ path: "body.cursor", message: "is not a cursor of this selection" });
  }
  let page = await listEvents(services.tables.events, { ...range, ...(after !== undefined && { after }) });
  for (let pages = 1; page.items.length === 0 && page.after !== undefined && pages < mostPages; pages++) {
    page = await listEvents(services.tables.events, { ...range, after: page.after });
  }
  const { items, ...rest } = page;
  return {
    items: items.map(({ eventId, correlationId }) => ({ kind: "event", eventId, correlationId })),
    ...rest,
  };
}

/** A cursor from elsewhere must not lead through all the days there are. */
function isWithin(after: string, { from, to }: { readonly from: Date; readonly to: Date }): boolean {
  const [, time = ""] = /^(\d{14})\|[0-9a-f]{32}$/.exec(after) ?? [];
  return time !== "" && time >= reversed(to) && time <= reversed(from);
}

function is<T>(wanted: T | undefined, found: T): boolean {
  return wanted === undefined || wanted === found;
}

function earlier(to: string | undefined, until: Date): Date {
  const asked = to === undefined ? until : new Date(to);
  return asked < until ? asked : until;
}
