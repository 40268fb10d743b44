import type { TableClient } from "@azure/data-tables";

import { shardOf, stableId } from "../envelope/ids.ts";
import { isStatus } from "./storage-error.ts";

/**
 * What a route knows of an object: the time of the newest event applied to it, and whether it is frozen.
 *
 *   PK <tenantId>|<shard>   RK <hash of route and object>
 */
export const objectsTable = "objects";

export interface ObjectState {
  /** ISO time of the newest event applied. */
  readonly appliedUntil?: string;
  /** The failure that froze it. */
  readonly frozenBy?: string;
}

interface ObjectRow {
  readonly routeName: string;
  readonly objectId: string;
  readonly appliedUntil?: string;
  readonly frozenBy?: string;
}

interface ObjectKey {
  readonly tenantId: string;
  readonly routeName: string;
  readonly objectId: string;
}

export async function readObject(table: TableClient, key: ObjectKey): Promise<ObjectState> {
  return (await read(table, key))?.row ?? {};
}

/** Remembers the newest event applied. An older one, applied late, changes nothing. */
export function rememberApplied(table: TableClient, key: ObjectKey, time: string): Promise<void> {
  return change(table, key, (row) =>
    row.appliedUntil !== undefined && row.appliedUntil >= time ? undefined : { ...row, appliedUntil: time },
  );
}

export function freezeObject(table: TableClient, key: ObjectKey, failureId: string): Promise<void> {
  return change(table, key, (row) =>
    row.frozenBy === undefined ? { ...row, frozenBy: failureId } : undefined,
  );
}

/** By the failure that froze it, and no other. */
export function thawObject(table: TableClient, key: ObjectKey, failureId: string): Promise<void> {
  return change(table, key, ({ frozenBy, ...row }) => (frozenBy === failureId ? row : undefined));
}

async function change(
  table: TableClient,
  key: ObjectKey,
  next: (row: ObjectRow) => ObjectRow | undefined,
): Promise<void> {
  for (;;) {
    const found = await read(table, key);
    const row = next(found?.row ?? { routeName: key.routeName, objectId: key.objectId });
    if (row === undefined) return;
    try {
      if (found === undefined) await table.createEntity({ ...keysOf(key), ...row });
      else await table.updateEntity({ ...keysOf(key), ...row }, "Replace", { etag: found.etag });
      return;
    } catch (error) {
      if (!isStatus(error, 409) && !isStatus(error, 412)) throw error;
    }
  }
}

async function read(
  table: TableClient,
  key: ObjectKey,
): Promise<{ row: ObjectRow; etag: string } | undefined> {
  const { partitionKey, rowKey } = keysOf(key);
  try {
    const { etag, routeName, objectId, appliedUntil, frozenBy } = await table.getEntity<ObjectRow>(
      partitionKey,
      rowKey,
    );
    const row = {
      routeName,
      objectId,
      ...(appliedUntil === undefined ? {} : { appliedUntil }),
      ...(frozenBy === undefined ? {} : { frozenBy }),
    };
    return { row, etag };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function keysOf({ tenantId, routeName, objectId }: ObjectKey): { partitionKey: string; rowKey: string } {
  const rowKey = stableId(routeName, objectId);
  return { partitionKey: `${tenantId}|${shardOf(rowKey)}`, rowKey };
}
