import { odata, type TableClient } from "@azure/data-tables";

import { isStatus } from "./storage-error.ts";

/** The names of a tenant's secrets, and where in the vault each one is. The vault itself cannot be asked by tenant. */
export const tenantSecretsTable = "tenantsecrets";

export interface TenantSecretRow {
  readonly vaultName: string;
  /** The version that counts; "latest" would change under whoever reads it. */
  readonly version: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type StoredSecret = TenantSecretRow & { readonly etag: string };

export async function findTenantSecret(
  table: TableClient,
  tenantId: string,
  name: string,
): Promise<StoredSecret | undefined> {
  try {
    return await table.getEntity<TenantSecretRow>(tenantId, name);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** With the etag of what was read, or without one where there was nothing. False when somebody else came first. */
export async function putTenantSecret(
  table: TableClient,
  tenantId: string,
  name: string,
  row: TenantSecretRow,
  etag: string | undefined,
): Promise<boolean> {
  const entity = { partitionKey: tenantId, rowKey: name, ...row };
  try {
    if (etag === undefined) await table.createEntity(entity);
    else await table.updateEntity(entity, "Replace", { etag });
    return true;
  } catch (error) {
    if (!isStatus(error, 409) && !isStatus(error, 412) && !isStatus(error, 404)) throw error;
    // The vault gave the version to this write alone, so it tells our own from another's.
    const found = await findTenantSecret(table, tenantId, name);
    return found?.version === row.version;
  }
}

export async function removeTenantSecret(table: TableClient, tenantId: string, name: string): Promise<void> {
  await table.deleteEntity(tenantId, name).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}

/** After this name, in the order of names. */
export async function listTenantSecrets(
  table: TableClient,
  tenantId: string,
  after: string,
  count: number,
): Promise<{ readonly name: string; readonly createdAt: Date; readonly updatedAt: Date }[]> {
  const filter = odata`PartitionKey eq ${tenantId} and RowKey gt ${after}`;
  const found = [];
  for await (const row of table.listEntities<TenantSecretRow>({ queryOptions: { filter } })) {
    found.push({ name: row.rowKey ?? "", createdAt: row.createdAt, updatedAt: row.updatedAt });
    if (found.length === count) break;
  }
  return found;
}
