import { odata, type TableClient } from "@azure/data-tables";

import { isStatus } from "./storage-error.ts";

/**
 * API keys, each in two rows of one table:
 *
 *   <keyId> | key              the key itself: a caller is known after one point read, whatever the number of tenants
 *   tenant|<tenantId> | <id>   the tenant's list, and what its administrators decided
 *   tenant|<tenantId> | guard  changes with every key that is disabled, so that two cannot be at once
 *
 * Issuing writes the key first: after a crash between the two it works, but nobody was ever told its secret. Disabling
 * writes the list first, where the guard is, and doing it again completes what a crash left undone.
 */
export const apiKeysTable = "apikeys";

export const roles = ["viewer", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

export interface ApiKeyRow {
  readonly tenantId: string;
  readonly role: Role;
  readonly secretHash: string;
  readonly createdAt: Date;
  readonly disabled: boolean;
  readonly name?: string;
  readonly expiresAt?: Date;
}

/** A key as its tenant's list shows it. */
export type ListedKey = Omit<ApiKeyRow, "secretHash"> & { readonly keyId: string };

export type Disabling = "disabled" | "absent" | "last-admin";

const rowKey = "key";
const guardKey = "guard";
const partitionOf = (tenantId: string): string => `tenant|${tenantId}`;

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
  const { secretHash, ...listed } = row;
  await table.upsertEntity({ partitionKey: id, rowKey, ...listed, secretHash }, "Replace");
  await table.upsertEntity({ partitionKey: partitionOf(row.tenantId), rowKey: id, ...listed }, "Replace");
}

/** The tenant's keys after this id, in the order of their ids. */
export async function listApiKeys(
  table: TableClient,
  tenantId: string,
  after: string,
  count: number,
): Promise<ListedKey[]> {
  const filter = odata`PartitionKey eq ${partitionOf(tenantId)} and RowKey gt ${after} and RowKey lt ${guardKey}`;
  const keys: ListedKey[] = [];
  for await (const row of table.listEntities<ApiKeyRow & { rowKey: string }>({ queryOptions: { filter } })) {
    keys.push(listedKey(row.rowKey, row));
    if (keys.length === count) break;
  }
  return keys;
}

/** A tenant always keeps an administrator who can get in. */
export async function disableApiKey(
  table: TableClient,
  tenantId: string,
  id: string,
  now: Date,
): Promise<Disabling> {
  const partitionKey = partitionOf(tenantId);
  for (let attempt = 0; ; attempt++) {
    const guard = await readGuard(table, partitionKey);
    const keys = await listApiKeys(table, tenantId, "", Infinity);
    const key = keys.find(({ keyId }) => keyId === id);
    if (key === undefined) return "absent";
    if (key.disabled) break;
    if (isAdminAt(key, now) && !keys.some((other) => other.keyId !== id && isLastingAdmin(other))) {
      return "last-admin";
    }
    try {
      await table.submitTransaction([
        ["update", { partitionKey, rowKey: id, disabled: true }, "Merge"],
        guard === undefined
          ? ["create", { partitionKey, rowKey: guardKey }]
          : ["update", { partitionKey, rowKey: guardKey }, "Replace", { etag: guard }],
      ]);
      break;
    } catch (error) {
      if (attempt >= 20 || !(isStatus(error, 409) || isStatus(error, 412))) throw error;
    }
  }
  await table.updateEntity({ partitionKey: id, rowKey, disabled: true }, "Merge");
  return "disabled";
}

function isAdminAt({ role, disabled, expiresAt }: ListedKey, now: Date): boolean {
  return role === "admin" && !disabled && (expiresAt === undefined || expiresAt > now);
}

/** A key that will expire does not keep the door open. */
function isLastingAdmin({ role, disabled, expiresAt }: ListedKey): boolean {
  return role === "admin" && !disabled && expiresAt === undefined;
}

function listedKey(keyId: string, row: ApiKeyRow): ListedKey {
  const { tenantId, role, createdAt, disabled, name, expiresAt } = row;
  return {
    keyId,
    tenantId,
    role,
    createdAt,
    disabled,
    ...(name && { name }),
    ...(expiresAt && { expiresAt }),
  };
}

async function readGuard(table: TableClient, partitionKey: string): Promise<string | undefined> {
  try {
    return (await table.getEntity(partitionKey, guardKey)).etag;
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}
