import { type FaultCode, faults } from "../faults.ts";
import { version } from "../version.ts";
import { collectComponents } from "./components.ts";
import { type Endpoint, paramNames, type ResponseSpec } from "./endpoint.ts";
import { faultsOf } from "./faults-of.ts";
import { problem } from "./problem-schema.ts";
import { jsonContentType } from "./read-body.ts";
import { tags } from "./tags.ts";
import type { JsonSchema } from "./typed-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** The endpoints as an OpenAPI 3.1 document. */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const { place, components } = collectComponents();
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    const item = (paths[`/api/${endpoint.path}`] ??= {});
    item[endpoint.method.toLowerCase()] = operationOf(endpoint, place);
  }
  const used = new Set<string>(endpoints.map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    info: {
      title: "Interlock",
      version,
      summary: "Webhooks in, vendor operations effectively once.",
      description:
        "Answers that are not what was asked for are problem details (RFC 9457) with a stable `code`. Every answer has " +
        "the header `x-correlation-id`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "Where this document was found." }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "An API key of the tenant." },
        bearer: { type: "http", scheme: "bearer", description: "The same key as a bearer token." },
      },
      headers: {
        CorrelationId: {
          description: "Finds the request in the logs.",
          required: true,
          schema: { type: "string" },
        },
      },
      schemas: components(),
    },
  };
}

type Place = (schema: JsonSchema) => JsonSchema;

function operationOf(endpoint: Endpoint, place: Place): Json {
  const { operationId, summary, description, tag, role, body } = endpoint;
  return {
    operationId,
    tags: [tag],
    summary,
    description:
      [description, role !== "public" && `Needs the role \`${role}\`.`].filter(Boolean).join("\n\n") ||
      summary,
    ...(role === "public" && { security: [] }),
    ...parametersOf(endpoint),
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          (body.contentTypes ?? [jsonContentType]).map((type) => [
            type,
            { schema: place(body.schema), ...(body.example !== undefined && { example: body.example }) },
          ]),
        ),
      },
    }),
    responses: responsesOf(endpoint, place),
  };
}

function parametersOf({ path, params, query, takesIfMatch }: Endpoint): Json {
  const schemas: Readonly<Record<string, JsonSchema>> = params ?? {};
  const inQuery = Object.entries(objectAt(query?.schema, "properties"));
  const required = query?.schema["required"];
  const parameters = [
    ...paramNames(path).map((name) => parameter("path", name, schemas[name] ?? {}, true)),
    ...inQuery.map(([name, schema]) =>
      parameter(
        "query",
        name,
        isRecord(schema) ? schema : {},
        Array.isArray(required) && required.includes(name),
      ),
    ),
    ...(takesIfMatch === true
      ? [
          parameter(
            "header",
            "If-Match",
            { type: "string", description: "The `etag` of what was read." },
            false,
          ),
        ]
      : []),
  ];
  return parameters.length === 0 ? {} : { parameters };
}

function parameter(
  where: string,
  name: string,
  { description, ...schema }: JsonSchema,
  required: boolean,
): Json {
  return { name, in: where, required, ...(description !== undefined && { description }), schema };
}

function responsesOf(endpoint: Endpoint, place: Place): Json {
  const { responses, uncorrelated = false } = endpoint;
  const byStatus = new Map<number, FaultCode[]>();
  for (const code of faultsOf(endpoint)) {
    const { status } = faults[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const specs: Record<string, ResponseSpec> = {};
  for (const [status, codes] of byStatus) specs[status] = problem(codes.map(faultLine).join("\n\n"));
  for (const [status, spec] of Object.entries(responses)) specs[status] = spec;
  return Object.fromEntries(
    Object.entries(specs).map(([status, spec]) => [status, responseOf(spec, place, uncorrelated)]),
  );
}

function faultLine(code: FaultCode): string {
  return `\`${code}\`: ${faults[code].says}`;
}

function responseOf(spec: ResponseSpec, place: Place, uncorrelated: boolean): Json {
  const { description, schema, contentType = jsonContentType, example, headers = {} } = spec;
  const own = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, required: true, schema: { type: "string" } },
  ]);
  const correlation = { "x-correlation-id": { $ref: "#/components/headers/CorrelationId" } };
  const media = {
    ...(schema && { schema: place(schema) }),
    ...(example !== undefined && { example }),
  };
  return {
    description,
    ...(!uncorrelated && { headers: { ...correlation, ...Object.fromEntries(own) } }),
    ...((schema ?? spec.contentType) !== undefined && { content: { [contentType]: media } }),
  };
}

function objectAt(schema: JsonSchema | undefined, name: string): Json {
  const value = schema?.[name];
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
