import { array, assert, property, string, stringMatching } from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeCursor, encodeCursor, pageOf } from "../../../shared/api/page.ts";

describe("a cursor", () => {
  test("comes back as it was made", () => {
    const key = stringMatching(/^[\w|.:~-]{0,100}$/);
    assert(
      property(array(key, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(decodeCursor(encodeCursor(...parts), parts.length)).toEqual(parts);
      }),
    );
  });

  test("that somebody made up is refused as a request, whatever it is", () => {
    assert(
      property(string(), (text) => {
        expect(outcomeOf(text)).toMatch(/^(fine|request-invalid)$/);
      }),
    );
  });
});

function outcomeOf(cursor: string): string {
  try {
    const parts = decodeCursor(cursor, 1) ?? [];
    return parts.every((part) => /^[\w|.:~-]{0,512}$/.test(part)) ? "fine" : "not a key";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe("a page", () => {
  const cursorAfter = (item: number): string => `after ${item}`;

  test("shows no more than asked for, and says where the next begins", () => {
    expect(pageOf([1, 2, 3], 2, cursorAfter)).toEqual({ items: [1, 2], nextCursor: "after 2" });
  });

  test("that shows everything has no next", () => {
    expect(pageOf([1, 2], 2, cursorAfter)).toEqual({ items: [1, 2] });
    expect(pageOf([], 2, cursorAfter)).toEqual({ items: [] });
  });
});
