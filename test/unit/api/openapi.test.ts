import { describe, expect, test } from "vitest";

import { endpoint } from "../../../shared/api/endpoint.ts";
import { openApiDocument } from "../../../shared/api/openapi.ts";
import { pageProperties, pageSchema } from "../../../shared/api/page.ts";
import { typed } from "../../../shared/api/typed-schema.ts";

const thing = { title: "Thing", type: "object", properties: { title: { type: "string" } } } as const;

const list = endpoint({
  operationId: "list-things",
  method: "GET",
  path: "v1/boxes/{boxId}/things",
  role: "viewer",
  tag: "Service",
  summary: "Lists things",
  params: { boxId: { type: "string", description: "The box." } },
  query: typed({ type: "object", additionalProperties: false, properties: pageProperties }),
  responses: { 200: { description: "Things.", schema: pageSchema("ThingPage", thing) } },
});

const change = endpoint({
  operationId: "change-thing",
  method: "PATCH",
  path: "v1/things",
  role: "operator",
  tag: "Service",
  summary: "Changes a thing",
  takesIfMatch: true,
  body: { ...typed<unknown>(thing), example: { title: "x" } },
  responses: { 204: { description: "Done." } },
  faults: ["conflict"],
  audit: "changes-nothing",
});

interface Operation {
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: object }> }>>;
  readonly parameters?: readonly { name: string; in: string; required: boolean }[];
}

const document = openApiDocument([list, change]) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

describe("the OpenAPI document", () => {
  test("says a schema with a title once, and refers to it; a field called title is only a field", () => {
    expect(Object.keys(document.components.schemas)).toEqual(["Problem", "Thing", "ThingPage"]);
    expect(document.components.schemas["ThingPage"]).toMatchObject({
      properties: { items: { items: { $ref: "#/components/schemas/Thing" } } },
    });
    expect(document.components.schemas["Thing"]).toEqual(thing);
  });

  test("refuses two schemas of one title", () => {
    const other = {
      ...list,
      path: "v1/others",
      responses: { 200: { description: "", schema: { title: "Thing" } } },
    };
    expect(() => openApiDocument([list, other])).toThrow("Two schemas are called Thing");
  });

  test("has each endpoint's own faults, and those of the checks before it", () => {
    const statuses = (path: string, method: string): string[] =>
      Object.keys(document.paths[path]?.[method]?.responses ?? {});
    expect(statuses("/api/v1/boxes/{boxId}/things", "get")).toEqual([
      "200",
      "400",
      "401",
      "404",
      "500",
      "503",
    ]);
    expect(statuses("/api/v1/things", "patch")).toEqual([
      "204",
      "400",
      "401",
      "403",
      "409",
      "412",
      "413",
      "415",
      "500",
      "503",
    ]);
  });

  test("lists what stands in the address, the query and the headers", () => {
    const parameters = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .flatMap((operation) => operation.parameters ?? [])
      .map((parameter) => `${parameter.in} ${parameter.name}${parameter.required ? "" : "?"}`);
    expect(parameters).toEqual(["path boxId", "query limit?", "query cursor?", "header If-Match?"]);
  });
});
