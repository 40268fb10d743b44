import type { TableClient } from "@azure/data-tables";

import { readEnvelope } from "../envelope/read-envelope.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { shardOf } from "../envelope/ids.ts";
import type { GroupCommit, Step } from "../platform/group-commit.ts";
import { isStatus } from "./storage-error.ts";

/**
 * The inbox: one row per webhook accepted, with its exact bytes, so that a webhook received twice is accepted once and
 * none is lost.
 *
 *   PK <tenantId>|<shard>   RK e|<eventId>    the webhook
 *                           RK p|<writerId>   what this writer has stored here and not yet seen published
 *
 * The event's id is made of the vendor's delivery id, so the insert itself finds the duplicate, on every host, and a
 * look-up by id is one point read. The second kind of row goes with every transaction of the first and costs no
 * operation of its own: when a writer dies between storing and publishing, it tells what to publish.
 */
export const inboxTable = "inbox";

export interface StoredWebhook {
  /** The envelope as it was published, less the data: they are made of the bytes again. */
  readonly envelope: Envelope;
  readonly contentType: string;
  /** The sender's headers, less what is secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number;
  /** The exact bytes, or else `bodyRef`. */
  readonly body?: Uint8Array;
  /** Name of the blob that holds them. */
  readonly bodyRef?: string;
  /** Why it is kept but was not published: its payload cannot be used. */
  readonly problem?: string;
}

/** The most an entity's property holds is 64 KiB; the rest goes to a blob. */
export const inlineLimitBytes = 60 * 1024;

export type Stored = { readonly kind: "new" } | { readonly kind: "duplicate"; readonly first: StoredWebhook };

interface InboxRow {
  readonly envelope: string;
  readonly contentType: string;
  readonly headers: string;
  readonly size: number;
  readonly body?: Uint8Array;
  readonly bodyRef?: string;
  readonly problem?: string;
  readonly writer: string;
}

export function inboxPartition(tenantId: string, eventId: string): string {
  return `${tenantId}|${shardOf(eventId)}`;
}

function rowKeyOf(eventId: string): string {
  return `e|${eventId}`;
}

/** `attemptId` names this very call: a write whose answer was lost is told by it from somebody else's. */
export async function storeWebhook(
  commit: GroupCommit,
  table: TableClient,
  webhook: StoredWebhook,
  attemptId: string,
): Promise<Stored> {
  const { tenantid, id } = webhook.envelope;
  const key = { partitionKey: inboxPartition(tenantid, id), rowKey: rowKeyOf(id) };
  const row: InboxRow = {
    ...webhook,
    envelope: JSON.stringify(webhook.envelope),
    headers: JSON.stringify(webhook.headers),
    writer: attemptId,
  };
  try {
    await commit.write({ kind: "create", row: { ...key, ...row } });
    return { kind: "new" };
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
  }
  const found = await table.getEntity<InboxRow>(key.partitionKey, key.rowKey);
  if (found.writer === attemptId) return { kind: "new" };
  return { kind: "duplicate", first: toWebhook(found) };
}

export async function findWebhook(
  table: TableClient,
  tenantId: string,
  eventId: string,
): Promise<StoredWebhook | undefined> {
  try {
    const row = await table.getEntity<InboxRow>(inboxPartition(tenantId, eventId), rowKeyOf(eventId));
    return toWebhook(row);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function toWebhook(row: InboxRow): StoredWebhook {
  return {
    envelope: readEnvelope(row.envelope),
    contentType: row.contentType,
    headers: readHeaders(row.headers),
    size: row.size,
    ...(row.body === undefined ? {} : { body: row.body }),
    ...(row.bodyRef === undefined ? {} : { bodyRef: row.bodyRef }),
    ...(row.problem === undefined ? {} : { problem: row.problem }),
  };
}

function readHeaders(text: string): Record<string, string> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (typeof each === "string" ? [[name, each]] : [])),
  );
}

interface PendingRow {
  readonly eventIds: string;
}

/** So many ids fit into the list of what is pending: a text in a table has 32,768 characters. */
export const mostPending = 900;

/** The step that tells what this writer has under way in a partition, to go with its every transaction there. */
export function pendingStep(partitionKey: string, writerId: string, eventIds: readonly string[]): Step {
  const row = { partitionKey, rowKey: `p|${writerId}`, eventIds: eventIds.join(" ") };
  return { kind: "upsert", row, mode: "Replace" };
}

export interface PendingEvents {
  readonly eventIds: readonly string[];
  readonly etag: string;
}

/** What a writer that is gone had stored in this partition and may not have published. */
export async function readPending(
  table: TableClient,
  tenantId: string,
  shard: string,
  writerId: string,
): Promise<PendingEvents | undefined> {
  try {
    const row = await table.getEntity<PendingRow>(`${tenantId}|${shard}`, `p|${writerId}`);
    return { eventIds: row.eventIds.split(" ").filter((id) => id !== ""), etag: row.etag };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** False when the writer is not gone after all and has written more since that ETag. */
export async function forgetPending(
  table: TableClient,
  tenantId: string,
  shard: string,
  writerId: string,
  etag = "*",
): Promise<boolean> {
  try {
    await table.deleteEntity(`${tenantId}|${shard}`, `p|${writerId}`, { etag });
    return true;
  } catch (error) {
    if (isStatus(error, 404)) return true;
    if (isStatus(error, 412)) return false;
    throw error;
  }
}
