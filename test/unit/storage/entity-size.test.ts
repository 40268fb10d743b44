import { describe, expect, test } from "vitest";

import { entityBytes, ownProperties } from "../../../local/storage/fault-proxy/entity-size.ts";

describe("the size of an entity", () => {
  test("is 4 bytes and two for each character of its keys when it has no property", () => {
    expect(entityBytes("ab", "c", { PartitionKey: "ab", RowKey: "c", Timestamp: "x" })).toBe(4 + 6);
  });

  test.each([
    ["text", { p: "abc" }, 4 + 2 * 3],
    ["text beyond the basic plane", { p: "😀" }, 4 + 2 * 2],
    ["a whole number", { p: 5 }, 4],
    ["a broken number", { p: 0.5 }, 8],
    ["a whole double", { p: 5, "p@odata.type": "Edm.Double" }, 8],
    ["a double as text", { p: "NaN", "p@odata.type": "Edm.Double" }, 8],
    ["true or false", { p: true }, 1],
    ["a long", { p: "5000000000", "p@odata.type": "Edm.Int64" }, 8],
    ["a time", { p: "2030-01-01T00:00:00Z", "p@odata.type": "Edm.DateTime" }, 8],
    ["a guid", { p: "00000000-0000-0000-0000-000000000000", "p@odata.type": "Edm.Guid" }, 16],
    ["bytes", { p: Buffer.alloc(5).toString("base64"), "p@odata.type": "Edm.Binary" }, 4 + 5],
  ])("adds for %s the name, 8 bytes and the value", (_what, entity, valueBytes) => {
    expect(entityBytes("", "", entity)).toBe(4 + 8 + 2 * "p".length + valueBytes);
  });

  test("leaves out nulls and annotations, which are not stored", () => {
    expect(ownProperties({ a: null, "b@odata.type": "Edm.Guid", "odata.etag": "x", b: "y" })).toEqual([
      ["b", "y"],
    ]);
  });
});
