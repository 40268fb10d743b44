import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseRetryAfter, retryAfterOf } from "../../../shared/outbound/retry-after.ts";

const now = new Date("2026-03-01T12:00:00Z");

describe("Retry-After (ERR-03)", () => {
  test.each([
    ["0", 0],
    ["7", 7],
    [" 7 ", 7],
    ["0.2", 1],
    ["1.5", 2],
    ["86400", 86_400],
    ["999999999", 86_400],
    ["Sun, 01 Mar 2026 12:00:30 GMT", 30],
    ["Sunday, 01-Mar-26 12:00:30 GMT", 30],
    ["Sun Mar  1 12:00:30 2026", 30],
    ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["Sun, 01 Mar 2099 11:00:00 GMT", 86_400],
  ])("%s is %d seconds", (value, seconds) => {
    expect(parseRetryAfter(value, now)).toBe(seconds);
  });

  test.each([
    [undefined],
    [""],
    ["soon"],
    ["-5"],
    ["1e3"],
    ["NaN"],
    ["Infinity"],
    ["2026-03-01"],
    ["Foo, bar"],
    ["7s"],
  ])("%s says nothing", (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });

  test("is between none and a day, whatever is written", () => {
    const written = fc.oneof(
      fc.string(),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.double().map(String),
    );
    fc.assert(
      fc.property(written, (value) => {
        const seconds = parseRetryAfter(value, now) ?? 0;
        expect(Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400).toBe(true);
      }),
    );
  });

  test("the end of a rate window counts where there is none", () => {
    const reset = String(now.getTime() / 1000 + 90);
    expect(retryAfterOf({ "x-ratelimit-reset": reset }, now)).toBe(90);
    expect(retryAfterOf({ "ratelimit-reset": "45" }, now)).toBe(45);
    expect(retryAfterOf({ "retry-after": "3", "x-ratelimit-reset": reset }, now)).toBe(3);
    expect(retryAfterOf({ "retry-after": "soon", "x-ratelimit-reset": reset }, now)).toBe(90);
    expect(retryAfterOf({ "x-ratelimit-reset": "tomorrow" }, now)).toBeUndefined();
    expect(retryAfterOf({}, now)).toBeUndefined();
  });
});
