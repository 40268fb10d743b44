import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";

import { subjectsOverlap } from "../../../shared/catalog/subject-pattern.ts";

describe("a subject pattern", () => {
  test.each([
    ["github.events.push", "github.events.push", true],
    ["github.events.push", "github.events.pull", false],
    ["github.events.*", "github.events.push", true],
    ["github.events.*", "github.events.issues.opened", false],
    ["github.events.*.opened", "github.events.issues.opened", true],
    ["github.*.opened", "github.events.issues.opened", false],
    ["github.#", "github.events.issues.opened", true],
    ["#", "github.events.push", true],
    ["github.events.push.#", "github.events.push", true],
    ["#.opened", "github.events.issues.opened", true],
    ["#.opened", "github.events.issues.closed", false],
    ["github.#.opened", "github.opened", true],
    ["*", "github.events", false],
    ["github.events.slash_command.*", "*.events.slash_command.weather", true],
    ["github.events.#", "#.weather", true],
    ["github.events.*", "gitlab.#", false],
    ["github", "github.events", false],
  ])("%s and %s: %s", (left, right, expected) => {
    expect(subjectsOverlap(left, right)).toBe(expected);
    expect(subjectsOverlap(right, left)).toBe(expected);
  });

  test("matches what a regular expression made of it matches", () => {
    const segments = (...more: string[]) =>
      array(constantFrom("a", "b", ...more), { minLength: 1, maxLength: 5 });
    assert(
      property(segments("*", "#"), segments(), (pattern, subject) => {
        const parts = pattern.map((segment) =>
          segment === "#" ? "(?:[ab]\\.)*" : segment === "*" ? "[ab]\\." : `${segment}\\.`,
        );
        const expected = new RegExp(`^${parts.join("")}$`).test(`${subject.join(".")}.`);
        expect(subjectsOverlap(pattern.join("."), subject.join("."))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
