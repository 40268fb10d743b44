import { anything, assert, property } from "fast-check";
import { describe, expect, test } from "vitest";

import { fieldPaths, mergePaths } from "../../../shared/catalog/field-paths.ts";

describe("the shape of a payload", () => {
  test("is where it holds something", () => {
    const data = {
      action: "opened",
      pull_request: { number: 12, labels: [{ name: "a" }, { name: "b", color: null }], assignees: [] },
      empty: {},
    };
    expect(fieldPaths(data)).toEqual([
      "action",
      "empty",
      "pull_request.assignees",
      "pull_request.labels[*].color",
      "pull_request.labels[*].name",
      "pull_request.number",
    ]);
    expect(fieldPaths([{ id: 1 }, 2])).toEqual(["[*]", "[*].id"]);
    expect(fieldPaths("text")).toEqual([]);
  });

  test("tells no values, not even where they are used as keys", () => {
    const people = { "ann@example.com": { age: 7 }, "555-1234": 1 };
    expect(fieldPaths({ people })).toEqual(["people.*", "people.*.age"]);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`user_${at}`, at]));
    expect(fieldPaths({ many })).toEqual(["many.*"]);
  });

  test("fits a row of a table, whatever comes", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 90 }, (_, at) => [
        `f${at}`,
        { [`${"x".repeat(60)}${at % 9}`]: { y: 1, z: [{ w: 2 }] } },
      ]),
    );
    let deep: unknown = 1;
    for (let at = 0; at < 10_000; at += 1) deep = { a: deep, b: [deep] };
    for (const data of [wide, deep]) expect(fieldPaths(data).join("\n").length).toBeLessThan(30_000);
    assert(
      property(anything(), (data) => {
        expect(fieldPaths(data).join("\n").length).toBeLessThan(30_000);
      }),
    );
  });

  test("grows by what other payloads have", () => {
    expect(mergePaths(["b", "c"], ["a", "c"])).toEqual(["a", "b", "c"]);
    const many = Array.from({ length: 300 }, (_, at) => `f${at}`);
    expect(mergePaths(many.slice(0, 199), many.slice(199))).toHaveLength(200);
  });
});
