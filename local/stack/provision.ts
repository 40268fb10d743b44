import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { formatApiKey, hashSecret, newApiKey, parseApiKey } from "../../shared/access/api-key.ts";
import { apiKeysTable, issueApiKey } from "../../shared/ledgers/api-keys.ts";
import { createTenant, tenantsTable } from "../../shared/ledgers/tenants.ts";
import type { Platform } from "../../shared/platform/platform.ts";

const demoTenant = { id: "demo", name: "Demo" };

interface StorageNames {
  readonly tables: readonly string[];
  readonly containers: readonly string[];
}

/** Makes what infra/storage.json names, and a tenant to try things with. Doing it again changes nothing. */
export async function provision(
  platform: Platform,
  root: string,
  dataDir: string,
): Promise<{ apiKey: string }> {
  const names = JSON.parse(readFileSync(join(root, "infra/storage.json"), "utf8")) as StorageNames;
  await Promise.all([
    ...names.tables.map(async (name) => (await platform.table(name)).createTable()),
    ...names.containers.map(async (name) => (await platform.container(name)).createIfNotExists()),
  ]);
  const apiKey = demoKey(join(dataDir, "demo-api-key"));
  const now = new Date();
  await createTenant(await platform.table(tenantsTable), demoTenant.id, {
    name: demoTenant.name,
    createdAt: now,
  });
  const key = parseApiKey(apiKey);
  if (key === undefined) throw new Error("The demo key is not a key");
  await issueApiKey(await platform.table(apiKeysTable), key.id, {
    tenantId: demoTenant.id,
    role: "admin",
    secretHash: hashSecret(key.secret),
    createdAt: now,
    disabled: false,
  });
  return { apiKey };
}

/** The platform keeps only a hash of a key, so the one for trying things out is kept beside the data. */
function demoKey(path: string): string {
  try {
    const held = readFileSync(path, "utf8").trim();
    if (parseApiKey(held) !== undefined) return held;
  } catch {
    // The first start, or a folder somebody tidied: a new key it is.
  }
  const made = formatApiKey(newApiKey());
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `${made}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return made;
}
