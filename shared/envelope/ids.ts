import { createHash, randomUUID } from "node:crypto";

/**
 * The same parts give the same id, here and on every other host: whatever is known by such an id can be made twice
 * and is still one. The length of each part goes in, so that ("a", "bc") and ("ab", "c") differ.
 */
export function stableId(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  return hash.digest("hex").slice(0, 32);
}

/** 122 random bits: for what nobody may guess or repeat. A UUID, because Node keeps a pool of random bytes for those. */
export function newId(): string {
  return randomUUID().replaceAll("-", "");
}

/** Few enough that what arrives together shares a partition and a transaction, many enough for Azure's rate of one. */
const shards = 4;

/** Which of a tenant's partitions holds what this id names. The id alone decides, so a look-up is one point read. */
export function shardOf(id: string): string {
  return (Number.parseInt(id.slice(0, 4), 16) % shards).toString(16);
}

export const allShards: readonly string[] = Array.from({ length: shards }, (_, shard) => shard.toString(16));
