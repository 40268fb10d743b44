import { odata, type TableClient } from "@azure/data-tables";

import { isStatus } from "./storage-error.ts";

/**
 * What a person has to know about, once for each cause.
 *
 *   PK <tenantId>   RK <ms until the end of time>|<escalationId>
 *                   RK once|<cause>   which escalation a cause has led to
 */
export const escalationsTable = "escalations";

export interface Escalation {
  readonly escalationId: string;
  readonly raisedAt: string;
  readonly code: string;
  readonly message: string;
  /** What to do, and where it is written down: docs/runbooks/<name>.md. */
  readonly runbook: string;
  readonly routeName: string;
  readonly correlationId: string;
  readonly objectId: string;
  readonly classification: string;
  readonly failureId: string;
  readonly acknowledgedAt?: string;
  readonly acknowledgedBy?: string;
}

const endOfTime = 99_999_999_999_999;

function rowKeyOf(raisedAt: string, id: string): string {
  return `${String(endOfTime - Date.parse(raisedAt)).padStart(14, "0")}|${id}`;
}

/** `cause` is what may be escalated only once. Answers whether it was the first time. */
export async function raiseEscalation(
  table: TableClient,
  tenantId: string,
  cause: string,
  escalation: Escalation,
): Promise<boolean> {
  const once = { partitionKey: tenantId, rowKey: `once|${cause}` };
  const rowKey = rowKeyOf(escalation.raisedAt, escalation.escalationId);
  try {
    await table.submitTransaction([
      ["create", { ...once, escalation: rowKey }],
      ["create", { partitionKey: tenantId, rowKey, ...escalation }],
    ]);
    return true;
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
    // Ours, if the answer to our own write was lost.
    const found = await table.getEntity<{ escalation: string }>(once.partitionKey, once.rowKey);
    return found.escalation === rowKey;
  }
}

/** Lets a cause be escalated again: what was paused has been resumed. */
export async function forgetCause(table: TableClient, tenantId: string, cause: string): Promise<void> {
  await table.deleteEntity(tenantId, `once|${cause}`).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}

export interface EscalationPage {
  readonly items: readonly (Escalation & { readonly key: string })[];
  readonly after?: string;
}

export async function listEscalations(
  table: TableClient,
  tenantId: string,
  limit: number,
  after?: string,
): Promise<EscalationPage> {
  const filter = odata`PartitionKey eq ${tenantId} and RowKey gt ${after ?? "0"} and RowKey lt 'once|'`;
  const items: (Escalation & { key: string })[] = [];
  for await (const row of table.listEntities<Escalation>({ queryOptions: { filter } })) {
    items.push({ ...toEscalation(row), key: row.rowKey ?? "" });
    if (items.length === limit) return { items, after: row.rowKey ?? "" };
  }
  return { items };
}

/** `key` as the list gave it. Undefined if there is none; acknowledging again changes nothing. */
export async function acknowledgeEscalation(
  table: TableClient,
  tenantId: string,
  key: string,
  by: string,
  now: Date,
): Promise<Escalation | undefined> {
  try {
    const row = await table.getEntity<Escalation>(tenantId, key);
    if (row.acknowledgedAt !== undefined) return toEscalation(row);
    const change = { acknowledgedAt: now.toISOString(), acknowledgedBy: by };
    await table.updateEntity({ partitionKey: tenantId, rowKey: key, ...change }, "Merge", { etag: row.etag });
    return { ...toEscalation(row), ...change };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    if (!isStatus(error, 412)) throw error;
    return toEscalation(await table.getEntity<Escalation>(tenantId, key));
  }
}

function toEscalation(row: Escalation): Escalation {
  return {
    escalationId: row.escalationId,
    raisedAt: row.raisedAt,
    code: row.code,
    message: row.message,
    runbook: row.runbook,
    routeName: row.routeName,
    correlationId: row.correlationId,
    objectId: row.objectId,
    classification: row.classification,
    failureId: row.failureId,
    ...(row.acknowledgedAt === undefined ? {} : { acknowledgedAt: row.acknowledgedAt }),
    ...(row.acknowledgedBy === undefined ? {} : { acknowledgedBy: row.acknowledgedBy }),
  };
}
