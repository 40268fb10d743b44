import type { Caller } from "../access/caller.ts";
import { Fault } from "../faults.ts";
import { listVersions, putConfig, type PutOptions, readVersion } from "../ledgers/configs.ts";
import type { Services } from "../services.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { type ConfigDiff, diffConfigs } from "./diff.ts";
import type { RouteConfig } from "./route-schema.ts";
import { surroundingsOf } from "./surroundings-of.ts";
import { validateConfig } from "./validate.ts";

export interface Replaced {
  readonly hash: string;
  readonly version: number;
  readonly etag: string;
  readonly created: boolean;
  readonly previousHash?: string;
  readonly warnings: readonly Diagnostic[];
  readonly diff: ConfigDiff;
}

export type ReplaceOptions = Omit<PutOptions, "by">;

const nothing: RouteConfig = { routes: [] };

/** Puts a configuration into place once nothing is wrong with it, and says what that changed. */
export async function replaceConfig(
  services: Services,
  { tenantId, keyId }: Caller,
  raw: unknown,
  options: ReplaceOptions,
): Promise<Replaced> {
  const { config, errors, warnings } = validateConfig(raw, await surroundingsOf(services, tenantId));
  if (config === undefined) throw configRefused(errors);
  return { ...(await storeConfig(services, tenantId, config, { ...options, by: keyId })), warnings };
}

export function configRefused(errors: readonly Diagnostic[]): Fault {
  const mistakes = errors.length === 1 ? "one mistake" : `${errors.length} mistakes`;
  return new Fault("config-invalid", `The configuration has ${mistakes}.`, {
    errors: errors.map(({ code, path, message }) => ({ path, message: `${code}: ${message}` })),
  });
}

/** The difference is to the version before in the history, whoever else changes it at the same time. */
export async function storeConfig(
  services: Services,
  tenantId: string,
  config: RouteConfig,
  options: PutOptions,
): Promise<Omit<Replaced, "warnings">> {
  const table = services.tables.configs;
  const { created, hash, seq, etag } = await putConfig(table, tenantId, config, options);
  services.configs.forget(tenantId);
  const head = { hash, version: seq, etag, created };
  if (!created) return { ...head, previousHash: hash, diff: diffConfigs(config, config) };
  const [previous] = (await listVersions(table, tenantId, { limit: 1, before: seq })).changes;
  const before = previous && (await readVersion(table, tenantId, previous.hash));
  return {
    ...head,
    ...(previous && { previousHash: previous.hash }),
    diff: diffConfigs(before ?? nothing, config),
  };
}

/** What the audit keeps of a change: which version took the place of which, and how much differs. */
export function auditOf({ hash, previousHash, version, diff }: Omit<Replaced, "warnings">): object {
  const { added, removed, changed } = diff;
  return {
    hashBefore: previousHash ?? null,
    hashAfter: hash,
    version,
    added: added.length,
    removed: removed.length,
    changed: changed.length,
  };
}
