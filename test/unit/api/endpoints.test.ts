import { describe, expect, test } from "vitest";

import { allEndpoints } from "../../../shared/api/all-endpoints.ts";
import { paramNames } from "../../../shared/api/endpoint.ts";
import { reader } from "../../../shared/json/schema.ts";

const named = allEndpoints.map((endpoint) => ({ ...endpoint, name: endpoint.operationId }));

describe("the endpoints", () => {
  test("have names and addresses of their own", () => {
    const names = allEndpoints.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    const addresses = allEndpoints.map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`,
    );
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  test.each(named.filter(({ method, role }) => method !== "GET" && role !== "public"))(
    "SEC-02: $name says what it leaves in the audit",
    ({ audit }) => {
      expect(audit).toBeDefined();
    },
  );

  test.each(named)("$name has a schema for everything in its address, and no other", ({ path, params }) => {
    expect(Object.keys(params ?? {}).toSorted()).toEqual(paramNames(path).toSorted());
  });

  test.each(named.filter(({ body }) => body?.example !== undefined))(
    "$name takes the body it gives as an example",
    ({ body }) => {
      expect(body?.read(body.example)).toEqual(body?.example);
    },
  );

  test.each(
    named.flatMap(({ name, responses }) =>
      Object.entries(responses).flatMap(([status, { schema, example }]) =>
        schema !== undefined && example !== undefined ? [{ name, status, schema, example }] : [],
      ),
    ),
  )("$name answers $status as it gives an example of", ({ schema, example }) => {
    expect(reader(schema)(example)).toEqual(example);
  });

  test.each(named.filter(({ query }) => query !== undefined))(
    "$name takes nothing in its query that it does not name",
    ({ query }) => {
      expect(query?.schema["additionalProperties"]).toBe(false);
    },
  );
});
