import { assert, integer, property, string } from "fast-check";
import { describe, expect, test } from "vitest";

import { packText, unpackText } from "../../../shared/ledgers/long-text.ts";

describe("a long text in a row", () => {
  test("comes back as it was, in pieces a property can hold", () => {
    assert(
      property(string({ unit: "grapheme", maxLength: 20 }), integer({ min: 0, max: 8000 }), (unit, times) => {
        const text = unit.repeat(times);
        const row = packText("body", text);
        expect(Object.values(row).every((chunk) => chunk.length <= 30_000)).toBe(true);
        // Storage speaks UTF-8, which half a character does not survive.
        const stored: Record<string, unknown> = { etag: "x" };
        for (const [key, chunk] of Object.entries(row)) stored[key] = Buffer.from(chunk).toString("utf8");
        expect(unpackText("body", stored) === text).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("may be empty, and is told from one that is not there", () => {
    expect(packText("body", "")).toEqual({ body0: "" });
    expect(unpackText("body", { body0: "" })).toBe("");
    expect(unpackText("body", { other0: "x" })).toBeUndefined();
  });

  test("splits before a character that would be cut in two", () => {
    const text = `${"x".repeat(29_999)}😀y`;
    expect(packText("body", text)).toEqual({ body0: "x".repeat(29_999), body1: "😀y" });
  });
});
