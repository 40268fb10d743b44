import { assert, constantFrom, jsonValue, property } from "fast-check";
import { describe, expect, test } from "vitest";

import type { Filter } from "../../../shared/config/route-schema.ts";
import { explainFilters, filtersHold } from "../../../shared/routing/filters.ts";

const data = {
  action: "opened",
  count: 5,
  price: "12.50",
  draft: false,
  assignee: null,
  empty: [],
  tags: ["bug", "debugging"],
  labels: [{ name: "bug" }, { name: "help wanted" }],
  updated_at: "2026-11-18T10:00:00+01:00",
  created_at: "2026-11-18 08:00:00 UTC",
};

function holds(path: string, operator: Filter["operator"], value?: Filter["value"]): boolean {
  return filtersHold([value === undefined ? { path, operator } : { path, operator, value }], data);
}

describe("a filter", () => {
  test.each<[boolean, string, Filter["operator"], Filter["value"]?]>([
    [true, "action", "Equals", "opened"],
    [false, "action", "Equals", "Opened"],
    [true, "count", "Equals", 5],
    [false, "count", "Equals", "5"],
    [true, "draft", "Equals", false],
    [true, "assignee", "Equals", null],
    [false, "absent", "Equals", null],
    [true, "tags", "Equals", "bug"],
    [true, "labels[*].name", "Equals", "bug"],
    [false, "labels[*].name", "Equals", "wanted"],

    [false, "action", "NotEquals", "opened"],
    [true, "action", "NotEquals", "closed"],
    [true, "absent", "NotEquals", "x"],
    [false, "labels[*].name", "NotEquals", "bug"],
    [true, "labels[*].name", "NotEquals", "wontfix"],

    [true, "action", "Contains", "open"],
    [true, "labels[*].name", "Contains", "wanted"],
    [true, "tags", "Contains", "bug"],
    [false, "tags", "Contains", "ugg"],
    [true, "tags[*]", "Contains", "ugg"],
    [false, "count", "Contains", 5],
    [false, "absent", "Contains", "x"],

    [false, "labels[*].name", "NotContains", "wanted"],
    [true, "labels[*].name", "NotContains", "security"],
    [true, "absent", "NotContains", "x"],

    [true, "count", "GreaterThan", 4],
    [false, "count", "GreaterThan", 5],
    [true, "count", "LessThan", 5.5],
    [false, "price", "GreaterThan", 1],
    [false, "action", "GreaterThan", "a"],
    [false, "absent", "LessThan", 1],
    [true, "updated_at", "GreaterThan", "2026-11-18T08:59:59Z"],
    [false, "updated_at", "GreaterThan", "2026-11-18T09:30:00Z"],
    [true, "created_at", "LessThan", "2026-11-18T08:00:01Z"],
    [true, "created_at", "GreaterThan", "2026-11-18"],

    [true, "action", "Exists"],
    [true, "draft", "Exists"],
    [false, "assignee", "Exists"],
    [false, "empty", "Exists"],
    [false, "absent", "Exists"],
    [true, "labels[*].name", "Exists"],
    [false, "labels[*].color", "Exists"],
    [true, "labels[*].color", "NotExists"],
    [true, "assignee", "NotExists"],
    [false, "action", "NotExists"],
  ])("ING-12: answers %s for %s %s %s", (expected, path, operator, value) => {
    expect(holds(path, operator, value)).toBe(expected);
  });

  test("ING-12: all of several must hold, and none at all always do", () => {
    const opened: Filter = { path: "action", operator: "Equals", value: "opened" };
    const closed: Filter = { path: "action", operator: "Equals", value: "closed" };
    expect(filtersHold([opened], data)).toBe(true);
    expect(filtersHold([opened, closed], data)).toBe(false);
    expect(filtersHold([], undefined)).toBe(true);
  });

  test("ING-12: with Not is the opposite of the one without, whatever the payload", () => {
    const pairs = [
      ["Equals", "NotEquals"],
      ["Contains", "NotContains"],
      ["Exists", "NotExists"],
    ] as const;
    const paths = constantFrom("a", "a.b", "a[*]", "a[*].b", "[0]", "[*]", 'a["b"]');
    const values = constantFrom<Filter["value"][]>("x", "", 1, true, null);
    assert(
      property(
        jsonValue(),
        constantFrom(...pairs),
        paths,
        values,
        (payload, [operator, negated], path, value) => {
          const plain = filtersHold([{ path, operator, value: value ?? null }], payload);
          expect(filtersHold([{ path, operator: negated, value: value ?? null }], payload)).toBe(!plain);
        },
      ),
    );
  });

  test("explains itself for a dry run", () => {
    const filter: Filter = { path: "labels[*].name", operator: "Equals", value: "security" };
    expect(explainFilters([filter], data)).toEqual([{ filter, holds: false, found: ["bug", "help wanted"] }]);
    const many = { tags: Array.from({ length: 1000 }, (_, index) => index) };
    expect(explainFilters([{ path: "tags[*]", operator: "Exists" }], many)[0]?.found).toHaveLength(10);
  });
});
