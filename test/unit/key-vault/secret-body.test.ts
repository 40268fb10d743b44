import { describe, expect, test } from "vitest";

import { checkName, readSetBody, readUpdateBody } from "../../../local/key-vault/secret-body.ts";

describe("the body of a set", () => {
  test("needs a value and takes the rest from its defaults", () => {
    expect(readSetBody({ value: "v" })).toEqual({ value: "v", properties: { enabled: true } });
    expect(readSetBody({ value: "v", tags: null, contentType: null, attributes: { enabled: null } })).toEqual(
      {
        value: "v",
        properties: { enabled: true },
      },
    );
  });

  test.each([
    {},
    { value: 5 },
    [],
    "text",
    { value: "v", attributes: { enabled: "yes" } },
    { value: "v", attributes: { exp: 1.5 } },
    { value: "v", attributes: { nbf: -1 } },
    { value: "v", attributes: 1 },
    { value: "v", tags: { a: 1 } },
    { value: "v", contentType: "x".repeat(256) },
  ])("is refused as a bad parameter when it is %j", (body) => {
    expect(() => readSetBody(body)).toThrow(expect.objectContaining({ code: "BadParameter" }) as Error);
  });
});

describe("the body of an update", () => {
  test("brings only what it names", () => {
    expect(readUpdateBody({})).toEqual({});
    expect(readUpdateBody({ attributes: { enabled: false, exp: 5 }, tags: {} })).toEqual({
      enabled: false,
      expires: 5,
      tags: {},
    });
  });
});

describe("a secret's name", () => {
  test.each(["", "a_b", "a/b", "ü", "x".repeat(128)])("may not be '%s'", (name) => {
    expect(() => checkName(name)).toThrow("invalid name");
  });
});
