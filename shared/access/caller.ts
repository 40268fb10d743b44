import { Fault } from "../faults.ts";
import { findApiKey, type Role } from "../ledgers/api-keys.ts";
import type { TableClient } from "@azure/data-tables";

import { parseApiKey, secretMatches } from "./api-key.ts";

/** Who calls: every store access below is made in the name of this tenant. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly role: Role;
}

interface Headers {
  get(name: string): string | null;
}

export async function authenticate(apiKeys: TableClient, headers: Headers): Promise<Caller> {
  const text = headers.get("x-api-key") ?? /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (text === undefined) throw new Fault("api-key-missing");
  const key = parseApiKey(text.trim());
  if (key === undefined) throw new Fault("api-key-invalid");
  const row = await findApiKey(apiKeys, key.id);
  const matches = secretMatches(key.secret, row?.secretHash);
  if (!matches || row === undefined || row.disabled) throw new Fault("api-key-invalid");
  return { tenantId: row.tenantId, keyId: key.id, role: row.role };
}
