import { formatApiKey, hashSecret, newApiKey } from "../../shared/access/api-key.ts";
import { apiKeysTable, issueApiKey, type ApiKeyRow } from "../../shared/ledgers/api-keys.ts";
import type { Platform } from "../../shared/platform/platform.ts";

/** A key of a tenant that exists by it alone. Without a change: an administrator of the tenant acme. */
export async function issueKey(platform: Platform, change: Partial<ApiKeyRow> = {}): Promise<string> {
  const key = newApiKey();
  await issueApiKey(await platform.table(apiKeysTable), key.id, {
    tenantId: "acme",
    role: "admin",
    secretHash: hashSecret(key.secret),
    createdAt: new Date(),
    disabled: false,
    ...change,
  });
  return formatApiKey(key);
}
