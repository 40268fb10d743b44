import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { requestDiff } from "../../../shared/replay/request-diff.ts";

const request = { method: "POST", url: "https://a.example/x", headers: { accept: "application/json" } };

describe("the difference between two requests", () => {
  test("is nothing where they are the same, whatever the order of their fields", () => {
    const one = { ...request, body: '{"a":1,"b":[1,2]}' };
    expect(requestDiff(one, { ...one, body: '{"b":[1,2],"a":1}' })).toEqual([]);
  });

  test("names each field, with what it was and what it is", () => {
    const before = { ...request, body: '{"a":1,"list":[{"b":"x"},2],"gone":null}' };
    const after = {
      method: "PUT",
      url: request.url,
      headers: {},
      body: '{"a":"1","list":[{"b":"y"}],"new":{}}',
    };
    expect(requestDiff(before, after)).toEqual([
      { path: "method", before: "POST", after: "PUT" },
      { path: "headers.accept", before: "application/json" },
      { path: "body.list[0].b", before: "x", after: "y" },
      { path: "body.list[1]", before: "2" },
      { path: "body.gone", before: "null" },
      { path: "body.new", after: "{}" },
    ]);
  });

  test("compares what is no JSON as a whole, and says how long a long value is", () => {
    const changes = requestDiff(
      { ...request, body: "a".repeat(500) },
      { ...request, body: `${"a".repeat(499)}b` },
    );
    expect(changes).toMatchObject([
      { path: "body", before: expect.stringContaining("(500 characters)") as unknown },
    ]);
  });

  test("ends after a hundred changes", () => {
    const body = (value: number): string => JSON.stringify(Array(300).fill(value));
    expect(requestDiff({ ...request, body: body(1) }, { ...request, body: body(2) })).toHaveLength(100);
  });

  test("is empty for a request and itself, and turns around with them", () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (one, other) => {
        const [left, right] = [
          { ...request, body: one },
          { ...request, body: other },
        ];
        expect(requestDiff(left, left)).toEqual([]);
        const turned = requestDiff(right, left).map(({ path, before, after }) => ({
          path,
          ...(after === undefined ? {} : { before: after }),
          ...(before === undefined ? {} : { after: before }),
        }));
        const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
        expect(turned.toSorted(byPath)).toEqual([...requestDiff(left, right)].toSorted(byPath));
      }),
    );
  });
});
