import { createHash } from "node:crypto";
import type { TableClient } from "@azure/data-tables";

import { Fault } from "../faults.ts";
import { findApiKey } from "../ledgers/api-keys.ts";
import { type ApiKey, parseApiKey, secretMatches } from "./api-key.ts";
import type { Caller } from "./caller.ts";

interface Headers {
  readonly get: (name: string) => string | null;
}

export type Authenticate = (headers: Headers, now: Date) => Promise<Caller>;

interface Known {
  readonly caller: Caller;
  readonly until: number;
}

/** How long a key that was disabled may still be taken, by a host that has just seen it. */
export const keyCacheMs = 5_000;
const maxKnown = 1_000;

/**
 * Tells callers by their API key, with one point read, or none for a key seen a moment ago. Only whole keys that were
 * right are remembered, by their hash: a wrong secret takes as long for an id that exists as for one that does not.
 */
export function createAuthenticate(apiKeys: () => Promise<TableClient>): Authenticate {
  const known = new Map<string, Known>();
  return async (headers, now) => {
    const text = keyText(headers);
    const hash = createHash("sha256").update(text).digest("base64");
    const seen = known.get(hash);
    if (seen !== undefined && seen.until > now.getTime()) return seen.caller;
    known.delete(hash);
    const key = parseApiKey(text);
    if (key === undefined) throw new Fault("api-key-invalid");
    const found = await check(await apiKeys(), key, now);
    if (known.size >= maxKnown) known.clear();
    known.set(hash, found);
    return found.caller;
  };
}

function keyText(headers: Headers): string {
  const text = headers.get("x-api-key") ?? /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (text === undefined) throw new Fault("api-key-missing");
  return text.trim();
}

async function check(table: TableClient, { id, secret }: ApiKey, now: Date): Promise<Known> {
  const row = await findApiKey(table, id);
  const matches = secretMatches(secret, row?.secretHash);
  const expiresAt = row?.expiresAt?.getTime() ?? Infinity;
  if (!matches || row === undefined || row.disabled || expiresAt <= now.getTime()) {
    throw new Fault("api-key-invalid");
  }
  return {
    caller: { tenantId: row.tenantId, keyId: id, role: row.role },
    until: Math.min(now.getTime() + keyCacheMs, expiresAt),
  };
}
