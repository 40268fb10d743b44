import { odata, type TableClient, type TransactionAction } from "@azure/data-tables";

import { type AuditEntry, type AuditRecord, chained, genesisHash } from "../audit/entry.ts";
import { newId } from "../envelope/ids.ts";
import { isStatus } from "./storage-error.ts";

/**
 * What was changed, by whom: a chain for each tenant, in which every entry holds the hash of the one before.
 *
 *   <tenantId> | head          {seq, hash} of the newest entry; its ETag lets one writer at a time append
 *   <tenantId> | e|<999… - n>  entry n, so that the newest comes first
 *
 * Head and entries are one transaction: there is never an entry beside the chain, and never a gap in it.
 */
export const auditTable = "audit";

interface Head {
  readonly seq: number;
  readonly hash: string;
}

interface Stored {
  /** Whose transaction wrote it: the answer may get lost, and the client then repeats what is already done. */
  readonly writer: string;
}

const headKey = "head";
const maxSeq = 999_999_999_999;
/** In front of the newest entry there can be. */
export const newestFirst = maxSeq;
/** One of the hundred steps of a transaction is the head. */
const maxRecords = 99;
const maxAttempts = 30;
const maxPauseMs = 40;

export function entryKey(seq: number): string {
  return `e|${String(maxSeq - seq).padStart(12, "0")}`;
}

/** Appends all of them together, in their order, after whatever others append meanwhile. */
export async function appendAudit(
  table: TableClient,
  tenantId: string,
  records: readonly AuditRecord[],
): Promise<void> {
  if (records.length === 0 || records.length > maxRecords) throw new RangeError("From 1 to 99 records.");
  const writer = newId();
  for (let attempt = 1; ; attempt++) {
    const head = await readHead(table, tenantId);
    const entries = chain(tenantId, records, head ?? { seq: 0, hash: genesisHash });
    try {
      await table.submitTransaction(steps(tenantId, entries, writer, head?.etag));
      return;
    } catch (error) {
      if (!isStatus(error, 409) && !isStatus(error, 412)) throw error;
      if (await wrote(table, tenantId, entries[0]?.seq ?? 0, writer)) return;
      if (attempt === maxAttempts) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * maxPauseMs));
  }
}

/** The chain's newest entry; undefined while there is none. */
export async function readHead(
  table: TableClient,
  tenantId: string,
): Promise<(Head & { readonly etag: string }) | undefined> {
  try {
    const { seq, hash, etag } = await table.getEntity<Head>(tenantId, headKey);
    return { seq, hash, etag };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** Entries older than this one, the newest first. */
export async function listAudit(
  table: TableClient,
  tenantId: string,
  beforeSeq: number,
  count: number,
): Promise<AuditEntry[]> {
  const filter = odata`PartitionKey eq ${tenantId} and RowKey gt ${entryKey(beforeSeq)} and RowKey lt ${"f"}`;
  const entries: AuditEntry[] = [];
  for await (const row of table.listEntities<AuditEntry & Stored>({ queryOptions: { filter } })) {
    entries.push(entryOf(tenantId, row));
    if (entries.length === count) break;
  }
  return entries;
}

function entryOf(tenantId: string, row: AuditEntry): AuditEntry {
  const { seq, at, actor, role, action, target, phase, correlationId, details, prevHash, hash } = row;
  return { tenantId, seq, at, actor, role, action, target, phase, correlationId, details, prevHash, hash };
}

function chain(tenantId: string, records: readonly AuditRecord[], head: Head): AuditEntry[] {
  let last = head;
  return records.map((record) => {
    const entry = chained(tenantId, record, last);
    last = entry;
    return entry;
  });
}

function steps(
  partitionKey: string,
  entries: readonly AuditEntry[],
  writer: string,
  etag: string | undefined,
): TransactionAction[] {
  const newest = entries.at(-1);
  const head = { partitionKey, rowKey: headKey, seq: newest?.seq, hash: newest?.hash };
  return [
    etag === undefined ? ["create", head] : ["update", head, "Replace", { etag }],
    ...entries.map((entry): TransactionAction => [
      "create",
      { ...entry, partitionKey, rowKey: entryKey(entry.seq), writer },
    ]),
  ];
}

async function wrote(table: TableClient, tenantId: string, seq: number, writer: string): Promise<boolean> {
  try {
    return (await table.getEntity<Stored>(tenantId, entryKey(seq))).writer === writer;
  } catch (error) {
    if (isStatus(error, 404)) return false;
    throw error;
  }
}
