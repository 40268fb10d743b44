import type { TableClient } from "@azure/data-tables";

import { shardOf } from "../envelope/ids.ts";
import { isStatus } from "./storage-error.ts";

/**
 * Events that are stored and that the bus did not take. A row exists only while that is so.
 *
 *   PK due|<shard>   RK <tenantId>|<eventId>
 */
export const unpublishedTable = "unpublished";

export interface Unpublished {
  readonly tenantId: string;
  readonly eventId: string;
}

export async function rememberUnpublished(table: TableClient, event: Unpublished): Promise<void> {
  await table.upsertEntity({ ...keyOf(event), ...event }, "Replace");
}

export async function forgetUnpublished(table: TableClient, event: Unpublished): Promise<void> {
  const { partitionKey, rowKey } = keyOf(event);
  await table.deleteEntity(partitionKey, rowKey).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}

/** At most so many of a shard. */
export async function listUnpublished(
  table: TableClient,
  shard: string,
  most: number,
): Promise<Unpublished[]> {
  const queryOptions = { filter: `PartitionKey eq 'due|${shard}'` };
  for await (const page of table.listEntities<Unpublished>({ queryOptions }).byPage({ maxPageSize: most })) {
    if (page.length > 0) return page.map(({ tenantId, eventId }) => ({ tenantId, eventId }));
  }
  return [];
}

function keyOf({ tenantId, eventId }: Unpublished): { partitionKey: string; rowKey: string } {
  return { partitionKey: `due|${shardOf(eventId)}`, rowKey: `${tenantId}|${eventId}` };
}
