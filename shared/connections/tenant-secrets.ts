import { isStatus } from "../ledgers/storage-error.ts";
import { findTenantSecret, tenantSecretsTable } from "../ledgers/tenant-secrets.ts";
import type { Platform } from "../platform/platform.ts";
import { createExpiringCache } from "./expiring-cache.ts";

/** A tenant has no secret of that name. Has the status that storage and vault give to what is not there. */
export class SecretMissing extends Error {
  override readonly name = "SecretMissing";
  readonly statusCode = 404;
}

export interface TenantSecrets {
  /** Rejects with `SecretMissing` where there is none of that name. A change is seen within a minute. */
  readonly read: (tenantId: string, name: string) => Promise<string>;
}

const maxAgeMs = 60_000;
const maxEntries = 1_000;

/** Credentials for what a tenant's routes talk to. */
export function createTenantSecrets(platform: Platform, clock?: () => number): TenantSecrets {
  const values = createExpiringCache({ maxAgeMs, maxEntries, ...(clock && { clock }) }, async (key) => {
    const [tenantId = "", name = ""] = key.split("\n");
    return (
      (await readValue(platform, tenantId, name)) ??
      (await readValue(platform, tenantId, name)) ??
      missing(name)
    );
  });
  return { read: (tenantId, name) => values.get(`${tenantId}\n${name}`) };
}

/** Undefined when the version was replaced between the two reads: the next try finds the new one. */
async function readValue(platform: Platform, tenantId: string, name: string): Promise<string | undefined> {
  const row = await findTenantSecret(await platform.table(tenantSecretsTable), tenantId, name);
  if (row === undefined) return missing(name);
  try {
    const { value } = await (await platform.secrets()).getSecret(row.vaultName, { version: row.version });
    return value;
  } catch (error) {
    if (isStatus(error, 403) || isStatus(error, 404)) return undefined;
    throw error;
  }
}

function missing(name: string): never {
  throw new SecretMissing(`The tenant has no secret named ${name}.`);
}
