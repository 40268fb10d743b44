import { describe, expect, test } from "vitest";

import { placeOf, rangeOf } from "../../../shared/events/event-query.ts";
import { faults } from "../../../shared/faults.ts";

const now = new Date("2026-11-18T12:00:00.000Z");

describe("the range of a look through events", () => {
  test.each([
    ["is the last day", {}, "2026-11-17T12:00:00.000Z", "2026-11-18T12:00:00.000Z"],
    ["ends now", { from: "2026-11-10T00:00:00Z" }, "2026-11-10T00:00:00.000Z", "2026-11-18T12:00:00.000Z"],
    [
      "begins a day before its end",
      { to: "2026-11-01T00:00:00Z" },
      "2026-10-31T00:00:00.000Z",
      "2026-11-01T00:00:00.000Z",
    ],
  ])("%s where nothing else is said", (_, given, from, to) => {
    expect(rangeOf(given, now)).toEqual({ from: new Date(from), to: new Date(to) });
  });

  test("is 31 days at the most", () => {
    expect(rangeOf({ from: "2026-10-18T12:00:00Z" }, now)).toBeDefined();
    expect(() => rangeOf({ from: "2026-10-18T11:59:59Z" }, now)).toThrow(faults["request-invalid"].says);
  });
});

test.each(["", "12", "0' or true", `${"1".repeat(14)}|xyz`, `${"1".repeat(14)}|${"a".repeat(32)} `])(
  "a place in the list is nothing like %j",
  (text) => {
    expect(() => placeOf(text)).toThrow(faults["request-invalid"].says);
  },
);
