import type { TableClient } from "@azure/data-tables";

import { isStatus } from "./storage-error.ts";

/**
 * Which process writes to whose inbox, and until when it is believed to be alive. Only writers of the last minutes
 * have a row, so looking for dead ones costs what is running, not what is stored.
 *
 *   PK writers   RK <writerId>|<tenantId>
 */
export const inboxWritersTable = "inboxwriters";

const partitionKey = "writers";

export interface InboxWriter {
  readonly writerId: string;
  readonly tenantId: string;
  readonly aliveUntil: Date;
}

/** Said before the first write to a tenant's inbox, and again and again while there is work. */
export async function announceWriter(table: TableClient, writer: InboxWriter): Promise<void> {
  const rowKey = `${writer.writerId}|${writer.tenantId}`;
  await table.upsertEntity({ partitionKey, rowKey, ...writer }, "Replace");
}

/** Unless it has said since that ETag that it is alive. */
export async function retireWriter(
  table: TableClient,
  writerId: string,
  tenantId: string,
  etag = "*",
): Promise<void> {
  await table.deleteEntity(partitionKey, `${writerId}|${tenantId}`, { etag }).catch((error: unknown) => {
    if (!isStatus(error, 404) && !isStatus(error, 412)) throw error;
  });
}

export interface DeadWriter extends InboxWriter {
  readonly etag: string;
}

export async function deadWriters(table: TableClient, now: Date): Promise<DeadWriter[]> {
  const dead: DeadWriter[] = [];
  const filter = `PartitionKey eq '${partitionKey}'`;
  for await (const row of table.listEntities<InboxWriter>({ queryOptions: { filter } })) {
    const { writerId, tenantId, aliveUntil, etag } = row;
    if (aliveUntil < now) dead.push({ writerId, tenantId, aliveUntil, etag });
  }
  return dead;
}
