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

export async function retireWriter(table: TableClient, writerId: string, tenantId: string): Promise<void> {
  await table.deleteEntity(partitionKey, `${writerId}|${tenantId}`).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}

export async function deadWriters(table: TableClient, now: Date): Promise<InboxWriter[]> {
  const dead: InboxWriter[] = [];
  const filter = `PartitionKey eq '${partitionKey}'`;
  for await (const row of table.listEntities<InboxWriter>({ queryOptions: { filter } })) {
    if (row.aliveUntil < now) {
      dead.push({ writerId: row.writerId, tenantId: row.tenantId, aliveUntil: row.aliveUntil });
    }
  }
  return dead;
}
