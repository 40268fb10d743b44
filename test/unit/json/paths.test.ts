import { anything, array, assert, constantFrom, jsonValue, property, string } from "fast-check";
import { describe, expect, test } from "vitest";

import { formatPath, parsePath, PathProblem, readPath } from "../../../shared/json/paths.ts";

const payload = {
  pull_request: { number: 7, labels: [{ name: "bug" }, { name: "urgent" }, {}], merged: null },
  commits: [
    { id: "a", files: [{ path: "x" }, { path: "y" }] },
    { id: "b", files: [{ path: "z" }] },
  ],
  fields: { "DE:Cost centre": "4711", "a.b": 1 },
  tags: ["one", "two"],
};

describe("a path", () => {
  test.each([
    ["pull_request.number", 7],
    ["pull_request.merged", null],
    ["commits[1].id", "b"],
    ["pull_request.labels[*].name", ["bug", "urgent"]],
    ["commits[*].files[*].path", ["x", "y", "z"]],
    ["commits[*].files[0].path", ["x", "z"]],
    ["tags", ["one", "two"]],
    ["tags[*]", ["one", "two"]],
    ['fields["DE:Cost centre"]', "4711"],
    ['fields["a.b"]', 1],
    ["commits[2].id", undefined],
    ["pull_request.number.digits", undefined],
    ["nothing.here[*].name", []],
    ["commits[7].files[*].path", []],
    ["tags.length", undefined],
    ["tags.0", undefined],
    ["pull_request.number[*]", []],
  ])("ING-12: %s reads what stands there", (path, found) => {
    expect(readPath(payload, path)).toEqual(found);
  });

  test("begins in a list as well as in an object", () => {
    expect(readPath([{ id: 1 }, { id: 2 }], "[*].id")).toEqual([1, 2]);
    expect(readPath([{ id: 1 }], "[0].id")).toBe(1);
  });

  test("sees own properties and no others", () => {
    for (const path of ["constructor", "__proto__", "toString", "a.constructor.name", "hasOwnProperty"]) {
      expect(readPath({ a: "text" }, path), path).toBeUndefined();
    }
    expect(readPath(JSON.parse('{"__proto__": {"x": 1}}'), "__proto__.x")).toBe(1);
    expect(readPath(Object.create({ inherited: 1 }), "inherited")).toBeUndefined();
  });

  test.each([
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a[",
    "a[]",
    "a[-1]",
    "a[x]",
    "a]",
    "a b",
    "a[0]b",
    "a['b']",
    "{{a}}",
    'a["b]',
  ])("'%s' is refused with the reason, and reads as nothing", (path) => {
    expect(() => parsePath(path)).toThrow(PathProblem);
    expect(readPath({ a: 1 }, path)).toBeUndefined();
  });

  test("the reason says where", () => {
    expect(() => parsePath("a.b[x].c")).toThrow(
      '"a.b[x].c" is not a path: character 4 opens a bracket that holds no number, no * and no quoted name.',
    );
  });

  test("never throws, whatever the value and the text", () => {
    assert(
      property(anything(), string(), (value, path) => {
        readPath(value, path);
      }),
    );
    const piece = constantFrom("a", ".", "[", "]", "*", "0", '"', "\\", "__proto__", " ");
    assert(
      property(jsonValue(), array(piece), (value, pieces) => {
        readPath(value, pieces.join(""));
      }),
    );
  });

  test("reads a value at any depth a sender can nest it", () => {
    const deep: unknown = JSON.parse("[".repeat(200_000) + "]".repeat(200_000));
    expect(readPath({ deep }, "deep[0][0]")).toBeDefined();
  });

  test("written from steps leads back to them", () => {
    assert(
      property(array(string({ minLength: 1 }), { minLength: 1 }), (names) => {
        expect(parsePath(formatPath(names))).toEqual(names.map((name) => ({ kind: "property", name })));
      }),
    );
    expect(formatPath(["routes", 0, "a.b", "c"])).toBe('routes[0]["a.b"].c');
  });
});
