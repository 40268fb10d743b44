import { entityBytes, ownProperties } from "./entity-size.ts";
import {
  differentPartitions,
  entityTooLarge,
  invalidResourceName,
  invalidTop,
  keyOutOfRange,
  keyValueTooLarge,
  propertyNameInvalid,
  propertyNameTooLong,
  resourceNameLength,
  tooManyProperties,
  type StorageFailure,
} from "./errors.ts";
import type { TableOperation } from "./operation.ts";

const largestEntityBytes = 1024 * 1024;
const mostProperties = 252;
const longestPropertyName = 255;
const longestKey = 1024;
const largestPage = 1000;
/** A C# identifier. */
const propertyName = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*$/u;
const tableName = /^[A-Za-z][A-Za-z0-9]*$/;
// eslint-disable-next-line no-control-regex
const forbiddenInKeys = /[/\\#?\u0000-\u001f\u007f-\u009f]/;

export interface Violation {
  readonly failure: StorageFailure;
  /** Which operation of a batch it is; undefined outside of one. */
  readonly index?: number;
}

/**
 * What Azure refuses and Azurite lets through, or refuses with another code. A merge is measured by what it brings;
 * how large the merged entity becomes only the service knows.
 * https://learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model
 */
export function violationOf(operation: TableOperation): Violation | undefined {
  if (operation.inner) return batchViolation(operation.inner);
  const failure = single(operation);
  return failure && { failure };
}

function batchViolation(inner: readonly TableOperation[]): Violation | undefined {
  for (const [index, operation] of inner.entries()) {
    const failure =
      operation.partitionKey === inner[0]?.partitionKey ? single(operation) : differentPartitions();
    if (failure) return { failure, index };
  }
  return undefined;
}

function single(operation: TableOperation): StorageFailure | undefined {
  const { kind, resource, partitionKey, rowKey, entity, top } = operation;
  if (kind === "createTable") return tableNameFailure(resource);
  if (kind === "query")
    return top === undefined || (top >= 1 && top <= largestPage) ? undefined : invalidTop();
  if (partitionKey === undefined || rowKey === undefined) return undefined;
  return (
    keyFailure("PartitionKey", partitionKey) ??
    keyFailure("RowKey", rowKey) ??
    (entity && entityFailure(entity, entityBytes(partitionKey, rowKey, entity)))
  );
}

function tableNameFailure(name: string): StorageFailure | undefined {
  if (name.length < 3 || name.length > 63) return resourceNameLength();
  return tableName.test(name) ? undefined : invalidResourceName();
}

function keyFailure(name: string, key: string): StorageFailure | undefined {
  if (key.length > longestKey) return keyValueTooLarge();
  return forbiddenInKeys.test(key) ? keyOutOfRange(name) : undefined;
}

function entityFailure(
  entity: NonNullable<TableOperation["entity"]>,
  bytes: number,
): StorageFailure | undefined {
  const names = ownProperties(entity).map(([name]) => name);
  if (names.length > mostProperties) return tooManyProperties();
  if (names.some((name) => name.length > longestPropertyName)) return propertyNameTooLong();
  if (!names.every((name) => propertyName.test(name))) return propertyNameInvalid();
  return bytes > largestEntityBytes ? entityTooLarge() : undefined;
}
