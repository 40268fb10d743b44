import { isDeepStrictEqual } from "node:util";

import { assert, jsonValue, property, shuffledSubarray } from "fast-check";
import { describe, expect, test } from "vitest";

import { canonicalJson } from "../../../shared/json/canonical.ts";

describe("canonical JSON", () => {
  test("LED-01: is JSON, and says what the value says", () => {
    assert(
      property(jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("LED-01: does not depend on the order of keys", () => {
    const entries = [
      ["a", 1],
      ["b", { y: 1, x: 2 }],
      ["", null],
      ["é", [1, 2]],
      ["10", 0],
      ["9", 0],
    ] as const;
    const first = canonicalJson(Object.fromEntries(entries));
    assert(
      property(shuffledSubarray([...entries], { minLength: entries.length }), (shuffled) => {
        expect(canonicalJson(Object.fromEntries(shuffled))).toBe(first);
      }),
    );
  });

  test("LED-01: differs exactly where the values differ", () => {
    assert(
      property(jsonValue({ maxDepth: 1 }), jsonValue({ maxDepth: 1 }), (left, right) => {
        const [one, other] = [left, right].map((value): unknown => JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(left) === canonicalJson(right)).toBe(isDeepStrictEqual(one, other));
      }),
    );
  });

  test("writes the examples of RFC 8785", () => {
    const value = {
      numbers: [JSON.parse("333333333.33333329") as number, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\u002f",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    expect(
      canonicalJson({
        "\u20ac": 1,
        "\r": 2,
        "\ufb33": 3,
        "1": 4,
        "\ud83d\ude00": 5,
        "\u0080": 6,
        "\u00f6": 7,
      }),
    ).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  test("leaves out what is undefined, and takes what JSON cannot say for null", () => {
    expect(canonicalJson({ a: undefined, b: Number.NaN, c: -0 })).toBe('{"b":null,"c":0}');
    expect(canonicalJson(undefined)).toBe("null");
  });

  test("takes a document as deep and as long as a sender can make it", () => {
    const text = "[".repeat(300_000) + "]".repeat(300_000);
    expect(canonicalJson(JSON.parse(text))).toBe(text);
    expect(canonicalJson(Array.from({ length: 300_000 }, () => 1))).toHaveLength(600_001);
  });
});
