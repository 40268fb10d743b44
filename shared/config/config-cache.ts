import { createRecentMap } from "./recent-map.ts";
import type { RouteConfig } from "./route-schema.ts";

/** A configuration and the name of its version: work is done to the end by the version it was routed with. */
export interface PinnedConfig {
  readonly hash: string;
  readonly config: RouteConfig;
}

export interface ConfigCache {
  /** What new events are routed by, at most `maxAgeMs` old. Undefined where the tenant has none. */
  readonly current: (tenantId: string) => Promise<PinnedConfig | undefined>;
  /** What an event was routed by, however long ago. */
  readonly version: (tenantId: string, hash: string) => Promise<PinnedConfig | undefined>;
  /** After a change on this host, so that whoever made it sees it at once. */
  readonly forget: (tenantId: string) => void;
}

export interface CacheOptions {
  readonly maxAgeMs?: number;
  readonly now?: () => number;
}

interface Store {
  readonly currentHash: (tenantId: string) => Promise<string | undefined>;
  readonly version: (tenantId: string, hash: string) => Promise<RouteConfig | undefined>;
}

/** Room for the versions that are in use; a configuration is at most 400,000 characters. */
const keptVersions = 500;
const keptHeads = 10_000;

/**
 * A version never changes, so it is read once and dropped only for want of room. Which one is current is asked for at
 * most every few seconds for each tenant, and whoever asks meanwhile shares the answer. A read that failed is not
 * remembered.
 */
export function createVersionCache(
  store: Store,
  { maxAgeMs = 5_000, now = Date.now }: CacheOptions = {},
): ConfigCache {
  const versions = createRecentMap<Promise<PinnedConfig | undefined>>(keptVersions);
  const heads = createRecentMap<Head>(keptHeads);

  const version = (tenantId: string, hash: string): Promise<PinnedConfig | undefined> => {
    const key = `${tenantId}|${hash}`;
    const known = versions.get(key);
    if (known !== undefined) return known;
    const read = store.version(tenantId, hash).then((config) => config && { hash, config });
    versions.set(key, read);
    unlessFound(read, () => versions.drop(key, read));
    return read;
  };
  const readCurrent = async (tenantId: string): Promise<PinnedConfig | undefined> => {
    const hash = await store.currentHash(tenantId);
    return hash === undefined ? undefined : version(tenantId, hash);
  };
  const current = (tenantId: string): Promise<PinnedConfig | undefined> => {
    const known = heads.get(tenantId);
    const readAt = now();
    if (known !== undefined && readAt - known.readAt < maxAgeMs) return known.pinned;
    const head = { readAt, pinned: readCurrent(tenantId) };
    heads.set(tenantId, head);
    head.pinned.catch(() => heads.drop(tenantId, head));
    return head.pinned;
  };
  return { version, current, forget: (tenantId) => heads.drop(tenantId) };
}

interface Head {
  readonly readAt: number;
  readonly pinned: Promise<PinnedConfig | undefined>;
}

function unlessFound(read: Promise<unknown>, act: () => void): void {
  read.then((found) => {
    if (found === undefined) act();
  }, act);
}
