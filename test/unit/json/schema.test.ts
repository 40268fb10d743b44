import { describe, expect, test } from "vitest";

import { type Problem, reader, SchemaProblems } from "../../../shared/json/schema.ts";

interface Sample {
  readonly name: string;
}

const read = reader<Sample>({
  type: "object",
  additionalProperties: false,
  required: ["name", "kind"],
  properties: {
    name: { type: "string", pattern: "^[a-z]+$", description: "small letters" },
    kind: { enum: ["inline", "queue", "drain"] },
    url: { type: "string", format: "uri" },
    at: { type: "string", format: "date-time" },
    count: { type: "integer", minimum: 1, maximum: 5 },
    list: { type: "array", maxItems: 2, items: { type: ["string", "number"], minLength: 1 } },
    table: {
      type: "object",
      propertyNames: { pattern: "^[a-z.]+$" },
      additionalProperties: { type: "boolean" },
    },
    secret: { type: "string", maxLength: 3 },
  },
});

function problemsFrom(reading: () => unknown): readonly Problem[] {
  try {
    reading();
  } catch (error) {
    if (error instanceof SchemaProblems) return error.problems;
    throw error;
  }
  throw new Error("It was accepted.");
}

function problemsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(problemsFrom(() => read(value)).map(({ path, message }) => [path, message]));
}

describe("a reader", () => {
  test("gives back the very value that fits", () => {
    const value = { name: "ab", kind: "inline", url: "https://example.com", at: "2026-11-18T10:00:00Z" };
    expect(read(value)).toBe(value);
  });

  test("names everything that is wrong at once, each with its place and what is allowed", () => {
    const value = {
      nmae: "x",
      name: "A",
      kind: "inlien",
      url: "not a url",
      at: "yesterday",
      count: 9,
      list: ["", true, 1],
      table: { "a.b": 1, "A B": true },
    };
    expect(problemsOf(value)).toEqual({
      nmae: "is not known, did you mean name? (allowed are name, kind, url, at, count, list, table, secret)",
      name: "does not have the right form: small letters",
      kind: "must be one of inline, queue, drain; did you mean inline?",
      url: "must be a whole address, such as https://example.com/hook",
      at: "must be a time, such as 2026-11-18T09:30:00Z",
      count: "must be 5 or less",
      list: "must have at most 2 items",
      "list[0]": "must not be empty",
      "list[1]": "must be a text or a number",
      'table["a.b"]': "must be true or false",
      'table["A B"]': "is a name that does not have the right form: it must match ^[a-z.]+$",
    });
  });

  test("says what is missing, and that the whole is of the wrong kind", () => {
    expect(problemsOf({})).toEqual({ name: "is missing", kind: "is missing" });
    expect(problemsOf([])).toEqual({ "": "must be an object" });
  });

  test("SEC-03: never repeats a value, which may be a secret in the wrong place", () => {
    expect(
      JSON.stringify(problemsOf({ name: "hunter2!", kind: "hunter2!", secret: "hunter2!" })),
    ).not.toContain("hunter2");
  });

  test("says the whole of it in one sentence for a log", () => {
    expect(() => read({ name: "a" }, "The sample")).toThrow(
      "The sample is not as it must be: kind is missing.",
    );
  });

  test("does not drown anybody in problems", () => {
    const readNumbers = reader<number[]>({ type: "array", items: { type: "number" } });
    const problems = problemsFrom(() => readNumbers(Array.from({ length: 5000 }, () => "x")));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toEqual({ path: "", message: "and 4900 more problems" });
  });
});
