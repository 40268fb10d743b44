import { createRequire } from "node:module";

import type { FilterNode } from "azurite/dist/src/table/persistence/QueryInterpreter/QueryParser.js";
import { describe, expect, test } from "vitest";

import { type FilterScope, scopeOf } from "../../../local/storage/filter-scope.ts";

const parser = createRequire(import.meta.url)(
  "azurite/dist/src/table/persistence/QueryInterpreter/QueryParser.js",
) as { default: (filter: string) => FilterNode };
const scopeOfFilter = (filter: string): FilterScope | undefined => scopeOf(parser.default(filter));

const p: FilterScope = { partitionKey: "p" };
const row: FilterScope = { partitionKey: "p", rowKey: "r" };

describe("the rows a table's filter can match", () => {
  test.each<[filter: string, scope: FilterScope]>([
    ["PartitionKey eq 'p'", p],
    ["(PartitionKey eq 'p')", p],
    ["PartitionKey EQ 'p' AND n gt 1", p],
    ["PartitionKey eq 'p' and RowKey ge 'a' and RowKey lt 'b'", p],
    ["(PartitionKey eq 'p') and (n gt 1 or n lt 0)", p],
    ["((PartitionKey eq 'p') and (n gt 1)) and (RowKey eq 'r')", p],
    ["PartitionKey eq 'p' and n gt 1L", p],
    ["PartitionKey eq 'p' and RowKey eq 'r'", row],
    ["(PartitionKey eq 'p' and RowKey eq 'r') and n gt 1", row],
    ["PartitionKey eq 'p' and (RowKey eq 'r' and n gt 1)", row],
    ["PartitionKey eq 'o''p and RowKey eq ''r'", { partitionKey: "o'p and RowKey eq 'r" }],
    ["PartitionKey eq ''", { partitionKey: "" }],
  ])("%s is read", (filter, scope) => {
    expect(scopeOfFilter(filter)).toEqual(scope);
  });

  test.each([
    "true",
    "PartitionKey eq 'p' or RowKey eq 'r'",
    "PartitionKey eq 'p' and RowKey eq 'r' or n gt 1",
    "not (PartitionKey eq 'p')",
    "not PartitionKey eq 'p' and n gt 1",
    "PartitionKey ne 'p'",
    "PartitionKey ge 'p' and PartitionKey le 'p'",
    "partitionkey eq 'p'",
    "PartitionKey eq 1",
    "PartitionKey eq guid'00112233-4455-6677-8899-aabbccddeeff'",
    "PartitionKey eq RowKey",
    "'p' eq PartitionKey",
    "RowKey eq 'r'",
  ])("%s could match any row", (filter) => {
    expect(scopeOfFilter(filter)).toBeUndefined();
  });

  test("a condition before the partition is evaluated everywhere, where it might fail: any row", () => {
    expect(scopeOfFilter("n gt 1L and PartitionKey eq 'p'")).toBeUndefined();
  });
});
