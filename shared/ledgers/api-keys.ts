import type { TableClient } from "@azure/data-tables";

import { isStatus } from "./storage-error.ts";

/** API keys by their id: a caller is known after one point read, whatever the number of tenants. */
export const apiKeysTable = "apikeys";

export const roles = ["viewer", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

export interface ApiKeyRow {
  readonly tenantId: string;
  readonly role: Role;
  readonly secretHash: string;
  readonly createdAt: Date;
  readonly disabled: boolean;
}

const rowKey = "key";

export async function findApiKey(table: TableClient, id: string): Promise<ApiKeyRow | undefined> {
  try {
    return await table.getEntity<ApiKeyRow>(id, rowKey);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** Issuing the same key again changes nothing. */
export async function issueApiKey(table: TableClient, id: string, row: ApiKeyRow): Promise<void> {
  await table.upsertEntity({ partitionKey: id, rowKey, ...row }, "Replace");
}
