import { connectionsTable, findConnection } from "../ledgers/connections.ts";
import { findHookTenant, hooksTable } from "../ledgers/hooks.ts";
import type { Platform } from "../platform/platform.ts";
import type { Connection } from "./connection.ts";
import { createExpiringCache } from "./expiring-cache.ts";
import { readSecret } from "./hook-secrets.ts";

export interface FoundConnection {
  readonly connection: Connection;
  /** The webhook secrets that count. */
  readonly secrets: readonly string[];
}

export interface ConnectionCache {
  /** Undefined for an address that leads nowhere, which is remembered as well: guessing costs no reads. */
  readonly find: (connectionId: string) => Promise<FoundConnection | undefined>;
}

interface Options {
  /** How long a change may take to be seen. */
  readonly maxAgeMs: number;
  readonly clock?: () => number;
}

const maxConnections = 10_000;
/** A version never changes its value, so only those that are not asked for any more go. */
const secretAgeMs = 600_000;

/** The connections that webhooks name, as the ingest needs them. */
export function createConnectionCache(
  platform: Platform,
  { maxAgeMs, ...options }: Options,
): ConnectionCache {
  const secrets = createExpiringCache(
    // The vault refuses a disabled version as it refuses whoever has no right to it, which may be mended in a moment.
    { maxAgeMs: secretAgeMs, maxEntries: maxConnections, forgetsAbsence: true, ...options },
    async (key) => {
      const [connectionId = "", version = ""] = key.split("/");
      return readSecret(await platform.secrets(), connectionId, version);
    },
  );

  async function load(connectionId: string): Promise<FoundConnection | undefined> {
    const tenantId = await findHookTenant(await platform.table(hooksTable), connectionId);
    if (tenantId === undefined) return undefined;
    const stored = await findConnection(await platform.table(connectionsTable), tenantId, connectionId);
    if (stored === undefined || stored.connection.deletedAt !== undefined) return undefined;
    const { connection } = stored;
    const values = await Promise.all(
      connection.secretVersions.map((version) => secrets.get(`${connectionId}/${version}`)),
    );
    return { connection, secrets: values.filter((value) => value !== undefined) };
  }

  const connections = createExpiringCache({ maxAgeMs, maxEntries: maxConnections, ...options }, load);
  return {
    find: async (connectionId) =>
      /^[0-9a-f]{32}$/.test(connectionId) ? connections.get(connectionId) : undefined,
  };
}
