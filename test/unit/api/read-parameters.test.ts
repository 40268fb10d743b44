import { describe, expect, test } from "vitest";

import { readPath, readQuery } from "../../../shared/api/read-parameters.ts";
import { typed } from "../../../shared/api/typed-schema.ts";

const query = typed<Record<string, unknown>>({
  type: "object",
  additionalProperties: false,
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 5 },
    count: { type: "integer", minimum: 1, default: 7 },
    share: { type: "number" },
    deep: { type: "boolean" },
  },
});

const read = (text: string): Record<string, unknown> => readQuery(query, new URLSearchParams(text));

describe("a query", () => {
  test("is read in the types of its schema, with defaults for what is left out", () => {
    expect(read("name=1&share=0.5&deep=true")).toEqual({ name: "1", share: 0.5, deep: true, count: 7 });
    expect(read("name=x&count=3&deep=false")).toEqual({ name: "x", count: 3, deep: false });
  });

  test.each([
    ["", "query.name"],
    ["name=toolong", "query.name"],
    ["name=x&count=", "query.count"],
    ["name=x&count=1e3", "query.count"],
    ["name=x&count=0x10", "query.count"],
    ["name=x&count=99999999999999999999", "query.count"],
    ["name=x&deep=1", "query.deep"],
    ["name=x&toString=1", "query.toString"],
  ])("'%s' is refused at %s", (text, path) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: "request-invalid",
        errors: [expect.objectContaining({ path })],
      }) as Error,
    );
  });

  test("is refused whole where an endpoint takes none", () => {
    expect(readQuery(undefined, new URLSearchParams(""))).toEqual({});
    expect(() => readQuery(undefined, new URLSearchParams("a=1"))).toThrow(
      expect.objectContaining({ code: "request-invalid" }) as Error,
    );
  });
});

describe("what stands in an address", () => {
  const values = typed<Record<string, string>>({
    type: "object",
    required: ["id"],
    properties: { id: { type: "string", pattern: "^[0-9a-f]{4}$", description: "4 hex digits." } },
  });

  test("must fit its schema", () => {
    expect(readPath(values, { id: "00ff" })).toEqual({ id: "00ff" });
    expect(() => readPath(values, { id: "00FF" })).toThrow(
      expect.objectContaining({
        errors: [{ path: "path.id", message: "does not have the right form: 4 hex digits." }],
      }) as Error,
    );
  });
});
