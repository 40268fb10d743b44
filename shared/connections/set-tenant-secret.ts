import type { SecretClient } from "@azure/keyvault-secrets";

import { newId, stableId } from "../envelope/ids.ts";
import { Fault } from "../faults.ts";
import { isStatus } from "../ledgers/storage-error.ts";
import {
  findTenantSecret,
  putTenantSecret,
  removeTenantSecret,
  tenantSecretsTable,
} from "../ledgers/tenant-secrets.ts";
import type { Platform } from "../platform/platform.ts";

const maxAttempts = 5;

/** Vault first, then the row that says which version counts, then the version before goes out of use. */
export async function setTenantSecret(
  platform: Platform,
  tenantId: string,
  name: string,
  value: string,
  now: Date,
): Promise<{ readonly createdAt: Date; readonly updatedAt: Date }> {
  const table = await platform.table(tenantSecretsTable);
  const vault = await platform.secrets();
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const found = await findTenantSecret(table, tenantId, name);
    const vaultName = found?.vaultName ?? newVaultName(tenantId, name);
    const { properties } = await vault.setSecret(vaultName, value, { tags: { tenantId, name } });
    const version = properties.version ?? "";
    const row = { vaultName, version, createdAt: found?.createdAt ?? now, updatedAt: now };
    if (await putTenantSecret(table, tenantId, name, row, found?.etag)) {
      if (found !== undefined) await disable(vault, found.vaultName, found.version);
      return row;
    }
    await disable(vault, vaultName, version);
  }
  throw new Fault("conflict", "Others change the same secret at the same time; try again.");
}

export async function deleteTenantSecret(platform: Platform, tenantId: string, name: string): Promise<void> {
  const table = await platform.table(tenantSecretsTable);
  const found = await findTenantSecret(table, tenantId, name);
  if (found === undefined) throw new Fault("not-found");
  await removeTenantSecret(table, tenantId, name);
  await (await platform.secrets()).beginDeleteSecret(found.vaultName).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}

/**
 * The vault takes fewer characters than names have, and a name that was deleted cannot be used again for months: a
 * readable part, and a random one that makes it new.
 */
function newVaultName(tenantId: string, name: string): string {
  const readable = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-");
  return `tenant-${stableId(tenantId)}-${readable}-${newId().slice(0, 16)}`;
}

async function disable(vault: SecretClient, vaultName: string, version: string): Promise<void> {
  await vault.updateSecretProperties(vaultName, version, { enabled: false }).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}
