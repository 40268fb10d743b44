import type { TableClient } from "@azure/data-tables";

import { isStatus } from "./storage-error.ts";

/** Removes what was to be kept until before `today`, at most so many; answers how many. */
export async function purgeEffects(
  table: TableClient,
  tenantId: string,
  shard: string,
  today: Date,
  limit: number,
): Promise<number> {
  const partitionKey = `${tenantId}|${shard}`;
  const until = `x|${today.toISOString().slice(0, 10)}`;
  const filter = `PartitionKey eq '${partitionKey}' and RowKey ge 'x|' and RowKey lt '${until}'`;
  let purged = 0;
  for await (const { rowKey = "" } of table.listEntities<object>({ queryOptions: { filter } })) {
    await purgeEffect(table, partitionKey, rowKey);
    if (++purged === limit) break;
  }
  return purged;
}

/** Both at once: what is left of a purge cut short would take along the effect the next event makes under that key. */
async function purgeEffect(table: TableClient, partitionKey: string, expiryKey: string): Promise<void> {
  const key = expiryKey.split("|")[2] ?? "";
  try {
    await table.submitTransaction([
      ["delete", { partitionKey, rowKey: key }],
      ["delete", { partitionKey, rowKey: expiryKey }],
    ]);
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
    await table.deleteEntity(partitionKey, expiryKey).catch((again: unknown) => {
      if (!isStatus(again, 404)) throw again;
    });
  }
}
