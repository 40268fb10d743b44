import type { TableClient } from "@azure/data-tables";

import { isStatus } from "./storage-error.ts";

/** One row a tenant, under its own id. */
export const tenantsTable = "tenants";

export interface TenantRow {
  readonly name: string;
  readonly createdAt: Date;
}

const rowKey = "tenant";

export async function findTenant(table: TableClient, tenantId: string): Promise<TenantRow | undefined> {
  try {
    return await table.getEntity<TenantRow>(tenantId, rowKey);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** One row a tenant: a look through the whole table is what it is for. */
export async function listTenantIds(table: TableClient): Promise<string[]> {
  const ids: string[] = [];
  for await (const { partitionKey } of table.listEntities<object>({
    queryOptions: { select: ["PartitionKey"] },
  })) {
    if (partitionKey !== undefined) ids.push(partitionKey);
  }
  return ids;
}

/** Answers whether it is new: a tenant that is there stays as it is. */
export async function createTenant(table: TableClient, tenantId: string, row: TenantRow): Promise<boolean> {
  try {
    await table.createEntity({ partitionKey: tenantId, rowKey, ...row });
    return true;
  } catch (error) {
    if (isStatus(error, 409)) return false;
    throw error;
  }
}
