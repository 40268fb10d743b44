import type { TableClient } from "@azure/data-tables";

import type { Envelope } from "../envelope/envelope.ts";
import type { GroupCommit } from "../platform/group-commit.ts";

/**
 * Events by time, newest first: what a person looks through. The router writes it, so that accepting a webhook costs
 * one write and no more. The webhook itself is in the inbox.
 *
 *   PK <tenantId>|<yyyymmdd>|<0..3>   RK <ms until the end of time, padded>|<eventId>
 *
 * A day's events of a busy tenant are too many for one partition, hence the four.
 */
export const eventsTable = "events";

export const eventStatuses = ["ROUTED", "UNMATCHED", "SKIPPED", "CONFIG_MISSING"] as const;
export type EventStatus = (typeof eventStatuses)[number];

export interface EventSummary {
  readonly eventId: string;
  readonly correlationId: string;
  readonly subject: string;
  readonly sourceSystem: string;
  readonly connectionId: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly eventType: string;
  readonly receivedAt: string;
  readonly routedAt: string;
  readonly status: EventStatus;
  /** Names of the routes that took it on. */
  readonly routes: readonly string[];
  readonly configHash: string;
  readonly payloadHash: string;
}

interface EventRow extends Omit<EventSummary, "routes"> {
  readonly routes: string;
}

const slices = ["0", "1", "2", "3"] as const;
const dayMs = 86_400_000;
const endOfTime = 99_999_999_999_999;

function reversed(ms: number): string {
  return String(endOfTime - ms).padStart(14, "0");
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll("-", "");
}

function sliceOf(eventId: string): string {
  return String(Number.parseInt(eventId.slice(0, 2), 16) % slices.length);
}

/** Written again, by a message that came twice, it is the same row. */
export async function writeEvent(
  commit: GroupCommit,
  envelope: Envelope,
  routing: Pick<EventSummary, "status" | "routes" | "configHash" | "routedAt">,
): Promise<void> {
  const receivedMs = Date.parse(envelope.receivedat);
  const row: EventRow = {
    eventId: envelope.id,
    correlationId: envelope.correlationid,
    subject: envelope.type,
    sourceSystem: envelope.sourcesystem,
    connectionId: envelope.connectionid,
    objectType: envelope.objecttype,
    objectId: envelope.objectid,
    eventType: envelope.eventtype,
    receivedAt: envelope.receivedat,
    payloadHash: envelope.payloadhash,
    ...routing,
    routes: JSON.stringify(routing.routes),
  };
  const partitionKey = `${envelope.tenantid}|${dayOf(receivedMs)}|${sliceOf(envelope.id)}`;
  const rowKey = `${reversed(receivedMs)}|${envelope.id}`;
  await commit.write({ kind: "upsert", row: { partitionKey, rowKey, ...row }, mode: "Replace" });
}

export interface EventQuery {
  readonly tenantId: string;
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
  /** Where the last page ended. */
  readonly after?: string;
  readonly accepts: (event: EventSummary) => boolean;
}

export interface EventPage {
  readonly items: readonly EventSummary[];
  readonly after?: string;
}

/** A look through so many rows ends a page even if few of them were wanted. */
const mostRowsLookedAt = 2000;

/** Day by day from the newest, each of its four partitions in step with the others. */
export async function listEvents(table: TableClient, query: EventQuery): Promise<EventPage> {
  const items: EventSummary[] = [];
  let lookedAt = 0;
  const first = query.after ?? reversed(query.to.getTime());
  const last = reversed(query.from.getTime());
  const newest = endOfTime - Number(first.slice(0, 14));
  for (let day = newest; dayOf(day) >= dayOf(query.from.getTime()); day -= dayMs) {
    for await (const { key, event } of merged(table, query.tenantId, dayOf(day), first, last)) {
      if (key === query.after) continue;
      lookedAt++;
      if (query.accepts(event)) items.push(event);
      if (items.length === query.limit || lookedAt === mostRowsLookedAt) return { items, after: key };
    }
  }
  return { items };
}

interface Keyed {
  readonly key: string;
  readonly event: EventSummary;
}

async function* merged(
  table: TableClient,
  tenantId: string,
  day: string,
  first: string,
  last: string,
): AsyncGenerator<Keyed> {
  const heads: { next: Keyed | undefined; rows: AsyncGenerator<Keyed> }[] = [];
  for (const slice of slices) {
    const rows = rowsOf(table, `${tenantId}|${day}|${slice}`, first, last);
    heads.push({ rows, next: await following(rows) });
  }
  for (;;) {
    const waiting = heads.filter(({ next }) => next !== undefined);
    const [least] = waiting.toSorted((a, b) => ((a.next?.key ?? "") < (b.next?.key ?? "") ? -1 : 1));
    if (least?.next === undefined) return;
    yield least.next;
    least.next = await following(least.rows);
  }
}

async function following(rows: AsyncGenerator<Keyed>): Promise<Keyed | undefined> {
  const result = await rows.next();
  return result.done === true ? undefined : result.value;
}

async function* rowsOf(
  table: TableClient,
  partitionKey: string,
  first: string,
  last: string,
): AsyncGenerator<Keyed> {
  const filter = `PartitionKey eq '${partitionKey}' and RowKey ge '${first}' and RowKey le '${last}}'`;
  for await (const row of table.listEntities<EventRow>({ queryOptions: { filter } })) {
    yield { key: row.rowKey ?? "", event: toSummary(row) };
  }
}

function toSummary(row: EventRow): EventSummary {
  const routes: unknown = JSON.parse(row.routes);
  return {
    eventId: row.eventId,
    correlationId: row.correlationId,
    subject: row.subject,
    sourceSystem: row.sourceSystem,
    connectionId: row.connectionId,
    objectType: row.objectType,
    objectId: row.objectId,
    eventType: row.eventType,
    receivedAt: row.receivedAt,
    routedAt: row.routedAt,
    status: row.status,
    routes: Array.isArray(routes) ? routes.map(String) : [],
    configHash: row.configHash,
    payloadHash: row.payloadHash,
  };
}
