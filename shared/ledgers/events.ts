import { odata, type TableClient } from "@azure/data-tables";

import type { Envelope } from "../envelope/envelope.ts";
import { shardOf } from "../envelope/ids.ts";
import { readEnvelope } from "../envelope/read-envelope.ts";
import type { GroupCommit } from "../platform/group-commit.ts";
import { isStatus } from "./storage-error.ts";

/**
 * Events by time, newest first: what a person looks through. The router writes it, so that accepting a webhook costs
 * one write and no more. The webhook itself is in the inbox.
 *
 *   PK <tenantId>|<yyyymmdd>|<0..3>   RK <ms until the end of time, padded>|<eventId>
 *   PK <tenantId>|made|<shard>        RK <eventId>
 *
 * A day's events of a busy tenant are too many for one partition, hence the four. The second kind of row is for events
 * that were made from others: no webhook in the inbox has their id, so this is where they are found by it.
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

function startOfDay(ms: number): number {
  return ms - (ms % dayMs);
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
  await Promise.all([
    commit.write({ kind: "upsert", row: { ...keyOf(envelope), ...row }, mode: "Replace" }),
    envelope.causationid === undefined ? undefined : writeMadeEvent(commit, envelope),
  ]);
}

async function writeMadeEvent(commit: GroupCommit, { data: _, ...envelope }: Envelope): Promise<void> {
  const row = { ...madeKeyOf(envelope.tenantid, envelope.id), envelope: JSON.stringify(envelope) };
  await commit.write({ kind: "upsert", row, mode: "Replace" });
}

/** The envelope, without its data, of an event that was made from another. */
export async function findMadeEvent(
  table: TableClient,
  tenantId: string,
  eventId: string,
): Promise<Envelope | undefined> {
  const { partitionKey, rowKey } = madeKeyOf(tenantId, eventId);
  try {
    return readEnvelope((await table.getEntity<{ envelope: string }>(partitionKey, rowKey)).envelope);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** What the router made of an event; undefined until it has come to it. */
export async function findEvent(table: TableClient, envelope: Envelope): Promise<EventSummary | undefined> {
  const { partitionKey, rowKey } = keyOf(envelope);
  try {
    return toSummary(await table.getEntity<EventRow>(partitionKey, rowKey));
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function keyOf({ tenantid, id, receivedat }: Envelope): { partitionKey: string; rowKey: string } {
  const receivedMs = Date.parse(receivedat);
  return {
    partitionKey: `${tenantid}|${dayOf(receivedMs)}|${sliceOf(id)}`,
    rowKey: `${reversed(receivedMs)}|${id}`,
  };
}

function madeKeyOf(tenantId: string, eventId: string): { partitionKey: string; rowKey: string } {
  return { partitionKey: `${tenantId}|made|${shardOf(eventId)}`, rowKey: eventId };
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
/** The same for a range in which there is nothing for weeks: each day is four queries. */
const mostDaysLookedAt = 62;

/** Day by day from the newest, each of its four partitions in step with the others. */
export async function listEvents(table: TableClient, query: EventQuery): Promise<EventPage> {
  const items: EventSummary[] = [];
  let lookedAt = 0;
  const first = query.after ?? reversed(query.to.getTime());
  const last = reversed(query.from.getTime());
  const newest = startOfDay(endOfTime - Number(first.slice(0, 14)));
  const oldest = startOfDay(query.from.getTime());
  for (let day = newest; day >= oldest; day -= dayMs) {
    if (day === newest - mostDaysLookedAt * dayMs) return { items, after: reversed(day + dayMs - 1) };
    for await (const { key, event } of merged(table, query, dayOf(day), first, last)) {
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
  { tenantId, limit }: EventQuery,
  day: string,
  first: string,
  last: string,
): AsyncGenerator<Keyed> {
  const heads = await Promise.all(
    slices.map(async (slice) => {
      const rows = rowsOf(table, `${tenantId}|${day}|${slice}`, first, last, rowsAtATime(limit));
      return { rows, next: await following(rows) };
    }),
  );
  for (;;) {
    const waiting = heads.filter(({ next }) => next !== undefined);
    const [least] = waiting.toSorted((a, b) => ((a.next?.key ?? "") < (b.next?.key ?? "") ? -1 : 1));
    if (least?.next === undefined) return;
    yield least.next;
    least.next = await following(least.rows);
  }
}

/** No more than the page has room for, but not one by one where few are wanted; the service sends 1000 at the most. */
function rowsAtATime(limit: number): number {
  return Math.min(Math.max(limit + 1, 100), 1000);
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
  atATime: number,
): AsyncGenerator<Keyed> {
  const filter = odata`PartitionKey eq ${partitionKey} and RowKey ge ${first} and RowKey le ${`${last}}`}`;
  const pages = table.listEntities<EventRow>({ queryOptions: { filter } }).byPage({ maxPageSize: atATime });
  for await (const page of pages) {
    for (const row of page) yield { key: row.rowKey ?? "", event: toSummary(row) };
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
