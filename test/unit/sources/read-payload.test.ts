import { assert, constantFrom, json, oneof, property, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";

import { deepestNesting, excessOf, mostValues } from "../../../shared/sources/json-limits.ts";
import { readPayload, UnsupportedContentType } from "../../../shared/sources/read-payload.ts";
import { PayloadProblem } from "../../../shared/sources/source.ts";
import { webhook } from "../../support/sign/webhook.ts";

const form = "application/x-www-form-urlencoded";

function read(body: string | Uint8Array, type?: string, more: Record<string, string> = {}): unknown {
  return readPayload(webhook({ ...(type === undefined ? {} : { "content-type": type }), ...more }, body));
}

function problemOf(body: string | Uint8Array, type?: string): string {
  try {
    read(body, type);
  } catch (error) {
    if (error instanceof PayloadProblem) return `${error.field}: ${error.message}`;
    throw error;
  }
  return "none";
}

describe("the payload of a webhook", () => {
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/vnd.github.v3+json",
    "application/cloudevents+json",
  ])("is JSON as %s", (type) => {
    expect(read('{"a":["ü",null]}', type)).toEqual({ a: ["ü", null] });
  });

  test("is JSON too where nobody says what it is, if it can be read as such", () => {
    expect(read("[1]")).toEqual([1]);
    expect(problemOf("a=1")).toContain("not valid JSON");
  });

  test("comes in a form's field 'payload', as GitHub and Slack send it", () => {
    const body = new URLSearchParams({ payload: '{"zen":"a&b=ü"}', other: "1" }).toString();
    expect(read(body, form)).toEqual({ zen: "a&b=ü" });
    expect(problemOf("payload=%7B", form)).toBe("payload: The payload is not valid JSON at position 1.");
  });

  test("may be a form itself", () => {
    expect(read("command=%2Fgo&text=a+b&x=1&x=2", `${form}; charset=UTF-8`)).toEqual({
      command: "/go",
      text: "a b",
      x: ["1", "2"],
    });
    const polluted = read("__proto__=1&constructor=2", form) as object;
    expect(Object.keys(polluted)).toEqual(["__proto__", "constructor"]);
    expect(({} as { constructor: unknown }).constructor).toBe(Object);
  });

  test("begins after a byte order mark", () => {
    expect(read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("{}")]))).toEqual({});
  });

  test.each([
    "text/plain",
    "text/xml",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "json",
    "x/y+json2",
  ])("is not taken as %s", (type) => {
    expect(() => read("{}", type)).toThrow(UnsupportedContentType);
  });

  test("is taken neither compressed nor in another character set", () => {
    expect(() => read("{}", "application/json", { "content-encoding": "gzip" })).toThrow(
      UnsupportedContentType,
    );
    expect(() => read("{}", "application/json; charset=utf-16")).toThrow(UnsupportedContentType);
    expect(read("{}", "application/json", { "content-encoding": "identity" })).toEqual({});
  });
});

describe("ING-13: a body that cannot be read", () => {
  test.each([
    ["nothing", "", "body: The body is empty."],
    ["spaces", " \n", "body: The body is empty."],
    ["half a document", '{"a":', "body: The body is not valid JSON"],
    ["two documents", "{}{}", "body: The body is not valid JSON at position 2."],
    ["bytes that are no text", Buffer.from([0x22, 0xff, 0x22]), "body: The body is not valid UTF-8."],
    ["half a character", Buffer.from([0x22, 0xc3]), "body: The body is not valid UTF-8."],
  ])("is named: %s", (_, body, problem) => {
    expect(problemOf(body, "application/json")).toContain(problem);
  });

  test("is not quoted: it may hold a secret", () => {
    for (const body of ['{"password": hunter2}', "hunter2", '{"a":1} hunter2', '"hunter2']) {
      expect(problemOf(body, "application/json")).not.toContain("hunter");
    }
  });

  test("an empty form is told so", () => {
    expect(problemOf("", form)).toBe("body: The body is empty.");
  });
});

describe("ING-13: a body that is made to do harm", () => {
  const nested = (depth: number): string => `${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;

  test("may be nested a hundred levels deep and no more", () => {
    expect(problemOf(nested(deepestNesting))).toBe("none");
    expect(problemOf(nested(deepestNesting + 2))).toContain(`more than ${deepestNesting} levels`);
    expect(problemOf(`payload=${encodeURIComponent(nested(200))}`, form)).toContain("levels");
  });

  test("is refused at once when it is nested millions of levels deep", () => {
    const started = performance.now();
    for (const bomb of ["[", '{"a":', '[{"a":']) {
      expect(problemOf(Buffer.alloc(20_000_000, bomb))).toContain("levels");
    }
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("is refused when it holds millions of values", () => {
    expect(problemOf(`[${"{},".repeat(mostValues / 2)}1]`)).toContain("values");
    expect(problemOf(`${"a&".repeat(2000)}a`, form)).toContain("fields");
  });

  test("brackets and commas in texts do not count", () => {
    expect(problemOf(JSON.stringify({ text: `\\"${'[{"\\'.repeat(1000)}` }))).toBe("none");
  });

  test("the limits see every nesting the parser sees", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    assert(
      property(json({ maxDepth: 6 }), (text) => {
        const depth = depthOf(JSON.parse(text));
        const wrapped = "[".repeat(deepestNesting - depth) + text + "]".repeat(deepestNesting - depth);
        expect(excessOf(Buffer.from(wrapped))).toBeUndefined();
        expect(excessOf(Buffer.from(`[${wrapped}]`))).toContain("levels");
      }),
    );
  });

  test("any bytes are read or named", () => {
    const bodies = oneof(uint8Array(), string(), json());
    const types = oneof(string(), constantFrom(form, "application/json", undefined));
    assert(
      property(bodies, types, (body, type) => {
        expect(outcomeOf(body, type)).not.toBe("unnamed");
      }),
      { numRuns: 500 },
    );
  });
});

function outcomeOf(body: string | Uint8Array, type: string | undefined): "read" | "refused" | "unnamed" {
  try {
    read(body, type);
    return "read";
  } catch (error) {
    const named = error instanceof PayloadProblem || error instanceof UnsupportedContentType;
    return named ? "refused" : "unnamed";
  }
}
