import type { Entity } from "./operation.ts";

const fixedBytes: Readonly<Record<string, number>> = {
  "Edm.Boolean": 1,
  "Edm.Int32": 4,
  "Edm.Int64": 8,
  "Edm.Double": 8,
  "Edm.DateTime": 8,
  "Edm.Guid": 16,
};

const systemProperties: readonly string[] = ["PartitionKey", "RowKey", "Timestamp"];

/** The properties an entity brings itself: neither the system's three, nor annotations, nor nulls, which are not kept. */
export function ownProperties(entity: Entity): [name: string, value: unknown][] {
  return Object.entries(entity).filter(
    ([name, value]) =>
      value !== null &&
      !systemProperties.includes(name) &&
      !name.startsWith("odata.") &&
      !name.endsWith("@odata.type"),
  );
}

/**
 * What the service stores for an entity, in bytes: 4, two for each character of its keys, and for each property 8, two
 * for each character of its name, and its value. Characters are UTF-16 units, so ASCII text counts double.
 */
export function entityBytes(partitionKey: string, rowKey: string, entity: Entity): number {
  return ownProperties(entity).reduce(
    (sum, [name, value]) => sum + 8 + 2 * name.length + valueBytes(value, entity[`${name}@odata.type`]),
    4 + 2 * (partitionKey.length + rowKey.length),
  );
}

function valueBytes(value: unknown, type: unknown): number {
  if (typeof value === "boolean") return 1;
  if (typeof value === "number") return Number.isInteger(value) && type !== "Edm.Double" ? 4 : 8;
  if (typeof value !== "string") return 0;
  if (type === "Edm.Binary") return 4 + Buffer.byteLength(value, "base64");
  return (typeof type === "string" ? fixedBytes[type] : undefined) ?? 4 + 2 * value.length;
}
