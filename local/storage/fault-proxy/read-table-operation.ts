import { accountPath } from "./account-path.ts";
import { splitBatch } from "./batch.ts";
import type { Entity, TableKind, TableOperation } from "./operation.ts";

export interface RequestText {
  readonly method: string;
  /** A path with its query, or a whole address as in the parts of a batch. */
  readonly target: string;
  readonly body: string;
}

const keyed = /^([^(]+)\(PartitionKey='((?:[^']|'')*)',\s*RowKey='((?:[^']|'')*)'\)$/;
const named = /^Tables\('([^']*)'\)$/i;

const writes: Readonly<Record<string, TableKind>> = {
  PUT: "update",
  MERGE: "merge",
  PATCH: "merge",
  DELETE: "delete",
  GET: "get",
};

export function readTableOperation({ method, target, body }: RequestText): TableOperation {
  const { path, query } = accountPath(target);
  if (query.has("comp")) return tableOperation("other", path);
  if (path === "$batch") return batchOperation(body);
  const [, table = "", partitionKey = "", rowKey = ""] = keyed.exec(path) ?? [];
  if (table !== "") {
    const entity = method === "GET" || method === "DELETE" ? undefined : entityOf(body);
    return {
      ...tableOperation(writes[method] ?? "other", table),
      partitionKey: unquoted(partitionKey),
      rowKey: unquoted(rowKey),
      ...(entity && { entity }),
    };
  }
  const dropped = named.exec(path)?.[1];
  if (dropped !== undefined) return tableOperation(method === "DELETE" ? "deleteTable" : "other", dropped);
  if (/^Tables(\(\))?$/i.test(path)) return catalogOperation(method, body);
  return collectionOperation(method, path.replace(/\(\)$/, ""), query, body);
}

const tableOperation = (kind: TableKind, resource: string): TableOperation => ({
  service: "table",
  kind,
  resource,
});

function batchOperation(body: string): TableOperation {
  const inner = splitBatch(body).map(readTableOperation);
  const [first] = inner;
  return {
    ...tableOperation("batch", first?.resource ?? ""),
    ...(first?.partitionKey !== undefined && { partitionKey: first.partitionKey }),
    inner,
  };
}

function catalogOperation(method: string, body: string): TableOperation {
  if (method === "GET") return tableOperation("listTables", "");
  return tableOperation("createTable", textOf(entityOf(body)?.["TableName"]));
}

function collectionOperation(
  method: string,
  table: string,
  query: URLSearchParams,
  body: string,
): TableOperation {
  if (method === "GET") {
    const top = query.get("$top");
    return { ...tableOperation("query", table), ...(top !== null && { top: Number(top) }) };
  }
  const entity = method === "POST" ? entityOf(body) : undefined;
  if (!entity) return tableOperation("other", table);
  return {
    ...tableOperation("insert", table),
    partitionKey: textOf(entity["PartitionKey"]),
    rowKey: textOf(entity["RowKey"]),
    entity,
  };
}

const unquoted = (key: string): string => key.replaceAll("''", "'");

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What is not an object is left to the service, which has an error for it. */
function entityOf(body: string): Entity | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isEntity(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isEntity = (value: unknown): value is Entity =>
  typeof value === "object" && value !== null && !Array.isArray(value);
