import type { Fault } from "../faults.ts";
import { fitting, invalid } from "./invalid.ts";
import { typed, type TypedSchema } from "./typed-schema.ts";

/** The path's values, each fitting its schema. */
export function readPath<Values>(
  values: TypedSchema<Values>,
  given: Readonly<Record<string, string>>,
): Values {
  return fitting("path", () => values.read({ ...given }));
}

/** The query's values in the types of the schema: a query is all text. What is left out gets its default. */
export function readQuery<Query>(query: TypedSchema<Query> | undefined, given: URLSearchParams): Query {
  const { schema, read } = query ?? noQuery;
  const properties: Readonly<Record<string, unknown>> = isRecord(schema["properties"])
    ? schema["properties"]
    : {};
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (isRecord(property) && property["default"] !== undefined) values[name] = property["default"];
  }
  for (const [name, text] of given) {
    if (!Object.hasOwn(properties, name)) throw unknownParameter(name, Object.keys(properties));
    values[name] = fromText(text, properties[name]);
  }
  return fitting("query", () => read(values));
}

const noQuery: TypedSchema<never> = typed({ type: "object", additionalProperties: false, properties: {} });

function unknownParameter(name: string, known: readonly string[]): Fault {
  const takes = known.length === 0 ? "takes none" : `takes ${known.join(", ")}`;
  return invalid({
    path: `query.${name.slice(0, 100)}`,
    message: `is not a parameter of this endpoint, which ${takes}`,
  });
}

function fromText(text: string, schema: unknown): unknown {
  const type = isRecord(schema) ? schema["type"] : undefined;
  if ((type === "integer" || type === "number") && /^-?\d{1,15}(\.\d{1,15})?$/.test(text))
    return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
