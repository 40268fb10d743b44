import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";

import { catalog, catalogSubjects, findKnownSubject } from "../../../shared/catalog/catalog.ts";
import { schemaOf } from "../../../shared/catalog/schema-of.ts";
import { findSource } from "../../../shared/sources/sources.ts";
import { vendorNames, vendors } from "../../support/sign/sample-webhook.ts";

const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false });
const byVendor = vendorNames.filter((name) => !["standard-webhooks", "generic"].includes(name));

describe("ING-10: the event catalog", () => {
  test("names each subject once, in the form sources make them", () => {
    expect(new Set(catalogSubjects).size).toBe(catalogSubjects.length);
    for (const subject of catalogSubjects) expect(subject).toMatch(/^[a-z]+\.events(\.[a-z0-9_-]+)+(\.\*)?$/);
    for (const { source } of catalog) expect(findSource(source), source).toBeDefined();
  });

  test("has a valid schema for each", () => {
    for (const schema of new Set(catalog.map((known) => known.schema))) {
      expect(() => ajv.compile(schema)).not.toThrow();
    }
  });

  test.each(
    byVendor.flatMap((vendor) => vendors[vendor].samples("1").map((sample) => ({ vendor, ...sample }))),
  )("knows $subject, and its schema fits what $vendor sends", ({ subject, payload, sentAs }) => {
    const known = findKnownSubject(subject);
    expect(known).toBeDefined();
    const data = sentAs === "form" ? Object.fromEntries(Object.entries(payload)) : payload;
    const valid = ajv.validate(known?.schema ?? false, data);
    expect(valid, ajv.errorsText()).toBe(true);
  });

  test("a schema refuses a payload that lacks what the source needs", () => {
    const schema = findKnownSubject("github.events.pull_request.opened")?.schema ?? {};
    expect(ajv.validate(schema, { action: "opened", repository: { full_name: "a/b", id: 1 } })).toBe(false);
  });

  test("finds nothing for a subject it does not know", () => {
    expect(findKnownSubject("github.events.nothing")).toBeUndefined();
  });
});

describe("the schema made of a list of fields", () => {
  test("nests, requires what is not marked otherwise, and leaves lists optional", () => {
    expect(
      schemaOf({
        action: "string",
        "a.b": "integer",
        "a.c": "string|null?",
        "d.e": "boolean?",
        "f[].g": "string",
      }),
    ).toEqual({
      type: "object",
      required: ["action", "a"],
      properties: {
        action: { type: "string" },
        a: {
          type: "object",
          required: ["b"],
          properties: { b: { type: "integer" }, c: { type: ["string", "null"] } },
        },
        d: { type: "object", properties: { e: { type: "boolean" } } },
        f: {
          type: "array",
          items: { type: "object", required: ["g"], properties: { g: { type: "string" } } },
        },
      },
    });
  });

  test("a field that is given both itself and by its parts keeps its own type", () => {
    expect(schemaOf({ state: "object|null", "state.ID": "string?" }).properties?.["state"]).toEqual({
      type: ["object", "null"],
      properties: { ID: { type: "string" } },
    });
  });
});
