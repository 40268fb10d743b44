import type { TableClient } from "@azure/data-tables";

import { isStatus } from "./storage-error.ts";

/**
 * Whose a hook address is. A webhook names its connection and nothing else, so this is the one table whose key begins
 * with a connection; the id is 128 random bits, and whoever knows it still has to sign.
 */
export const hooksTable = "hooks";

interface HookRow {
  readonly tenantId: string;
}

const rowKey = "hook";

/** Opening it again changes nothing. */
export async function openHook(table: TableClient, connectionId: string, tenantId: string): Promise<void> {
  await table.upsertEntity({ partitionKey: connectionId, rowKey, tenantId }, "Replace");
}

/** From here on the address is like any other that does not exist. */
export async function closeHook(table: TableClient, connectionId: string): Promise<void> {
  await table.deleteEntity(connectionId, rowKey).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}

export async function findHookTenant(table: TableClient, connectionId: string): Promise<string | undefined> {
  try {
    return (await table.getEntity<HookRow>(connectionId, rowKey)).tenantId;
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}
