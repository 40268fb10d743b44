import { newId } from "../envelope/ids.ts";
import { connectionsTable, createConnection as insertConnection } from "../ledgers/connections.ts";
import { hooksTable, openHook } from "../ledgers/hooks.ts";
import type { Platform } from "../platform/platform.ts";
import type { Changed } from "./change-connection.ts";
import { checkSecret, checkSettings, chooseScheme } from "./check-settings.ts";
import { type Connection, largestBody } from "./connection.ts";
import { addSecret } from "./hook-secrets.ts";
import { newSecret } from "./new-secret.ts";

/** What must be said about a connection; the rest has defaults. */
export type NewConnection = Pick<Connection, "name" | "source"> &
  Partial<Omit<Connection, "connectionId" | "tenantId" | "secretVersions" | "createdAt" | "updatedAt">> & {
    readonly secret?: string;
  };

/**
 * Secret, hook, connection, in this order: whoever sees the connection can use it. A crash before leaves a hook that
 * leads nowhere and a secret nobody reads.
 */
export async function createConnection(
  platform: Platform,
  tenantId: string,
  wanted: NewConnection,
  now: Date,
): Promise<Changed & { readonly generatedSecret?: string }> {
  const { secret: given, ...settings } = wanted;
  const [, scheme] = chooseScheme(settings.source, settings.scheme);
  const draft = {
    pattern: "specific",
    onUnmatched: "ignore",
    allowedIps: [],
    maxBodyBytes: largestBody,
    enabled: true,
    ...settings,
    scheme: scheme.name,
  } as const;
  checkSettings(draft);
  const secret = given ?? newSecret(scheme.name);
  checkSecret(scheme, secret);
  const connectionId = newId();
  const version = await addSecret(await platform.secrets(), connectionId, secret);
  await openHook(await platform.table(hooksTable), connectionId, tenantId);
  const connection: Connection = {
    ...draft,
    connectionId,
    tenantId,
    secretVersions: [version],
    createdAt: now,
    updatedAt: now,
  };
  const revision = await insertConnection(await platform.table(connectionsTable), connection);
  return { connection, revision, ...(given === undefined && { generatedSecret: secret }) };
}
