import type { TableClient } from "@azure/data-tables";

import { type CacheOptions, type ConfigCache, createVersionCache } from "../config/config-cache.ts";
import { configHash } from "../config/config-hash.ts";
import type { RouteConfig } from "../config/route-schema.ts";
import { newId } from "../envelope/ids.ts";
import { Fault } from "../faults.ts";
import { packText, unpackText } from "./long-text.ts";
import { isStatus } from "./storage-error.ts";

/**
 * Route configurations, every version of every tenant. A tenant is one partition, so that a change is one transaction:
 *
 *   head             which version is current, and how many changes there were      replaced, guarded by its ETag
 *   v|<hash>         the version itself, named by its content                       the same whenever it is written
 *   h|<reverse seq>  who put which version into place, the newest first             written once
 */
export const routeConfigsTable = "routeconfigs";

export interface ConfigHead {
  readonly hash: string;
  /** Counts the changes, from 1. */
  readonly seq: number;
  /** For `If-Match`. */
  readonly etag: string;
}

export interface ConfigChange {
  readonly seq: number;
  readonly hash: string;
  readonly at: Date;
  readonly by: string;
  readonly comment?: string;
  /** Environment and hash of what was taken over. */
  readonly promotedFrom?: string;
}

export interface PutOptions extends Pick<ConfigChange, "by" | "comment" | "promotedFrom"> {
  /** The etag that the change was made against; without it the change is made whatever is there. */
  readonly ifMatch?: string;
  readonly now: Date;
}

/** Far below the 1 MiB of an entity, of which each character takes two bytes. */
const longestConfig = 400_000;

/** Each time somebody else's change came first, which is rare enough to be somebody's mistake after a few. */
const attempts = 10;

/** What is already current makes no new version, so that a call made twice is one change. */
export async function putConfig(
  table: TableClient,
  tenantId: string,
  config: RouteConfig,
  options: PutOptions,
): Promise<ConfigHead & { readonly created: boolean }> {
  const version = { hash: configHash(config), text: JSON.stringify(config) };
  if (version.text.length > longestConfig) {
    const detail = `The configuration has ${version.text.length} characters; at most ${longestConfig} can be kept.`;
    throw new Fault("body-too-large", detail);
  }
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const head = await findHead(table, tenantId);
    if (head?.hash === version.hash) return { ...shown(head), created: false };
    if (options.ifMatch !== undefined && (head === undefined || options.ifMatch !== etagOf(head))) break;
    const next = { hash: version.hash, seq: (head?.seq ?? 0) + 1 };
    if (await wasPut(table, tenantId, version.text, head, next, options))
      return { ...shown(next), created: true };
  }
  throw new Fault("precondition-failed");
}

export async function readHead(table: TableClient, tenantId: string): Promise<ConfigHead | undefined> {
  const head = await findHead(table, tenantId);
  return head && shown(head);
}

export async function readVersion(
  table: TableClient,
  tenantId: string,
  hash: string,
): Promise<RouteConfig | undefined> {
  if (!/^[0-9a-f]{32}$/.test(hash)) return undefined;
  const row = await findRow(table, tenantId, versionKey(hash));
  const text = row && unpackText("config", row);
  const config: unknown = text === undefined ? undefined : JSON.parse(text);
  return isStoredConfig(config) ? config : undefined;
}

export interface ConfigChanges {
  readonly changes: readonly ConfigChange[];
  /** Where the next page begins, if there may be one. */
  readonly before?: number;
}

/** The newest first; `before` is a `seq`, and not included. */
export async function listVersions(
  table: TableClient,
  tenantId: string,
  { limit, before }: { readonly limit: number; readonly before?: number },
): Promise<ConfigChanges> {
  const after = before === undefined ? "h|" : historyKey(before);
  const filter = `PartitionKey eq '${tenantId}' and RowKey gt '${after}' and RowKey lt 'h}'`;
  const changes: ConfigChange[] = [];
  for await (const row of table.listEntities<ConfigChange>({ queryOptions: { filter } })) {
    const { seq, hash, at, by, comment, promotedFrom } = row;
    changes.push({
      seq,
      hash,
      at,
      by,
      ...(comment === undefined ? {} : { comment }),
      ...(promotedFrom === undefined ? {} : { promotedFrom }),
    });
    if (changes.length === limit) return { changes, before: seq };
  }
  return { changes };
}

export type { ConfigCache };

export function createConfigCache(table: TableClient, options?: CacheOptions): ConfigCache {
  return createVersionCache(
    {
      currentHash: async (tenantId) => (await findHead(table, tenantId))?.hash,
      version: (tenantId, hash) => readVersion(table, tenantId, hash),
    },
    options,
  );
}

interface Head {
  readonly hash: string;
  readonly seq: number;
}

/** False when somebody else was first. */
async function wasPut(
  table: TableClient,
  tenantId: string,
  text: string,
  head: (Head & { readonly storageEtag: string }) | undefined,
  next: Head,
  { by, now, comment, promotedFrom }: PutOptions,
): Promise<boolean> {
  const partitionKey = tenantId;
  const writeId = newId();
  const headRow = { partitionKey, rowKey: "head", ...next };
  const change = { ...next, at: now, by, comment, promotedFrom, writeId };
  try {
    await table.submitTransaction([
      head === undefined ? ["create", headRow] : ["update", headRow, "Replace", { etag: head.storageEtag }],
      ["create", { partitionKey, rowKey: historyKey(next.seq), ...change }],
      ["upsert", { partitionKey, rowKey: versionKey(next.hash), ...packText("config", text) }, "Replace"],
    ]);
    return true;
  } catch (error) {
    if (!isStatus(error, 409) && !isStatus(error, 412)) throw error;
    // It may have been our own write that came first, if the answer to it was lost and the client made it again.
    const written = await findRow(table, tenantId, historyKey(next.seq));
    return written?.["writeId"] === writeId;
  }
}

async function findHead(
  table: TableClient,
  tenantId: string,
): Promise<(Head & { readonly storageEtag: string }) | undefined> {
  try {
    const { hash, seq, etag } = await table.getEntity<Head>(tenantId, "head");
    return { hash, seq, storageEtag: etag };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

async function findRow(
  table: TableClient,
  tenantId: string,
  rowKey: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return await table.getEntity(tenantId, rowKey);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function versionKey(hash: string): string {
  return `v|${hash}`;
}

const lastSeq = 9_999_999_999;

function historyKey(seq: number): string {
  return `h|${String(lastSeq - seq).padStart(10, "0")}`;
}

/** Our own rather than the storage's: it survives a restore and says the same on every host. */
function etagOf({ hash, seq }: Head): string {
  return `"${seq}-${hash}"`;
}

function shown({ hash, seq }: Head): ConfigHead {
  return { hash, seq, etag: etagOf({ hash, seq }) };
}

/** Only what was validated is ever stored, and compiling the schema to ask again would be felt at every cold start. */
function isStoredConfig(value: unknown): value is RouteConfig {
  return typeof value === "object" && value !== null && "routes" in value && Array.isArray(value.routes);
}
