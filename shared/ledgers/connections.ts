import { odata, type TableClient, type TableEntity } from "@azure/data-tables";

import type { Connection, RateLimit } from "../connections/connection.ts";
import { newId } from "../envelope/ids.ts";
import { isStatus } from "./storage-error.ts";

/** A tenant's connections, under its own id. A new revision with every change tells our own write from another's. */
export const connectionsTable = "connections";

export interface StoredConnection {
  readonly connection: Connection;
  readonly revision: string;
  readonly etag: string;
}

type Columns = Omit<
  Connection,
  "connectionId" | "schemeConfig" | "normaliserConfig" | "allowedIps" | "rateLimit" | "secretVersions"
> & {
  readonly schemeConfig?: string;
  readonly normaliserConfig?: string;
  readonly allowedIps: string;
  readonly maxEventsPerMinute?: number;
  readonly burstAllowance?: number;
  readonly backoffOnLimit?: boolean;
  readonly secretVersions: string;
  readonly deleted: boolean;
  readonly revision: string;
};

/** Answers with the revision. The id is random, so a row that is there already is our own write come back. */
export async function createConnection(table: TableClient, connection: Connection): Promise<string> {
  const revision = newId();
  try {
    await table.createEntity(rowOf(connection, revision));
    return revision;
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
    const found = await findConnection(table, connection.tenantId, connection.connectionId);
    if (found?.revision === revision) return revision;
    throw error;
  }
}

export async function findConnection(
  table: TableClient,
  tenantId: string,
  connectionId: string,
): Promise<StoredConnection | undefined> {
  try {
    return readRow(await table.getEntity<Columns>(tenantId, connectionId));
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** Undefined when somebody else has changed it since it was read; otherwise the new revision. */
export async function replaceConnection(
  table: TableClient,
  connection: Connection,
  etag: string,
): Promise<string | undefined> {
  const revision = newId();
  try {
    await table.updateEntity(rowOf(connection, revision), "Replace", { etag });
    return revision;
  } catch (error) {
    if (!isStatus(error, 412)) throw error;
    const found = await findConnection(table, connection.tenantId, connection.connectionId);
    return found?.revision === revision ? revision : undefined;
  }
}

/** Those that are not deleted, after this id, in the order of their ids. */
export async function listConnections(
  table: TableClient,
  tenantId: string,
  after: string,
  count: number,
): Promise<StoredConnection[]> {
  const filter = odata`PartitionKey eq ${tenantId} and RowKey gt ${after} and deleted eq false`;
  const found: StoredConnection[] = [];
  for await (const row of table.listEntities<Columns>({ queryOptions: { filter } })) {
    found.push(readRow(row));
    if (found.length === count) break;
  }
  return found;
}

function rowOf(connection: Connection, revision: string): TableEntity<Columns> {
  const { connectionId, schemeConfig, normaliserConfig, rateLimit, ...rest } = connection;
  return {
    partitionKey: connection.tenantId,
    rowKey: connectionId,
    ...rest,
    ...(schemeConfig !== undefined && { schemeConfig: JSON.stringify(schemeConfig) }),
    ...(normaliserConfig !== undefined && { normaliserConfig: JSON.stringify(normaliserConfig) }),
    ...rateLimit,
    allowedIps: connection.allowedIps.join(" "),
    secretVersions: connection.secretVersions.join(" "),
    deleted: connection.deletedAt !== undefined,
    revision,
  };
}

function readRow(row: Columns & { rowKey?: string; etag: string }): StoredConnection {
  const { tenantId, name, source, scheme, pattern, onUnmatched, maxBodyBytes, enabled } = row;
  const { createdAt, updatedAt, deletedAt, schemeConfig, normaliserConfig, revision, etag } = row;
  const rateLimit = rateLimitOf(row);
  const connection: Connection = {
    connectionId: row.rowKey ?? "",
    tenantId,
    name,
    source,
    scheme,
    ...(schemeConfig !== undefined && { schemeConfig: parsed(schemeConfig) }),
    ...(normaliserConfig !== undefined && { normaliserConfig: parsed(normaliserConfig) }),
    pattern,
    onUnmatched,
    allowedIps: words(row.allowedIps),
    ...(rateLimit !== undefined && { rateLimit }),
    maxBodyBytes,
    enabled,
    secretVersions: words(row.secretVersions),
    createdAt,
    updatedAt,
    ...(deletedAt !== undefined && { deletedAt }),
  };
  return { connection, revision, etag };
}

function rateLimitOf({ maxEventsPerMinute, burstAllowance, backoffOnLimit }: Columns): RateLimit | undefined {
  if (maxEventsPerMinute === undefined || burstAllowance === undefined || backoffOnLimit === undefined) {
    return undefined;
  }
  return { maxEventsPerMinute, burstAllowance, backoffOnLimit };
}

function words(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}
