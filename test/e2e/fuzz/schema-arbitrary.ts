import * as fc from "fast-check";

type Schema = Readonly<Record<string, unknown>>;

/** Finds what a `$ref` of the document stands for. */
export type Resolve = (ref: string) => Schema;

/** Values that fit a schema, or nearly so where its keywords are beyond this: the API must answer those as well. */
export function fitting(schema: unknown, resolve: Resolve): fc.Arbitrary<unknown> {
  if (!isRecord(schema)) return fc.jsonValue();
  if (typeof schema["$ref"] === "string") return fitting(resolve(schema["$ref"]), resolve);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  if ("const" in schema) return fc.constant(schema["const"]);
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return fc.oneof(...choices.map((choice) => fitting(choice, resolve)));
  const types = [schema["type"]].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, resolve)));
}

function ofType(type: unknown, schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return texts(schema);
    case "integer":
      return fc.integer({
        min: number(schema, "minimum", -1_000),
        max: number(schema, "maximum", 1_000_000),
      });
    case "number":
      return fc.double({
        min: number(schema, "minimum", -1e6),
        max: number(schema, "maximum", 1e6),
        noNaN: true,
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(fitting(schema["items"], resolve), {
        minLength: number(schema, "minItems", 0),
        maxLength: Math.min(4, number(schema, "maxItems", 4)),
      });
    case "object":
      return objects(schema, resolve);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function texts(schema: Schema): fc.Arbitrary<string> {
  if (schema["format"] === "date-time") {
    return fc
      .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((at) => at.toISOString());
  }
  if (schema["format"] === "uri") return fc.webUrl();
  const { pattern } = schema;
  if (typeof pattern === "string") {
    try {
      return fc.stringMatching(new RegExp(pattern));
    } catch {
      // Lookaheads are beyond fast-check: any text will do, and be refused.
    }
  }
  const minLength = number(schema, "minLength", 0);
  return fc.string({
    minLength,
    maxLength: Math.max(minLength, Math.min(40, number(schema, "maxLength", 40))),
  });
}

function objects(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, fitting(inner, resolve)])),
    { requiredKeys: required.filter((name) => name in properties) },
  );
  const additional = schema["additionalProperties"];
  if (additional === false || Object.keys(properties).length > 0) return named;
  const names = isRecord(schema["propertyNames"])
    ? texts(schema["propertyNames"])
    : fc.string({ maxLength: 10 });
  return fc.dictionary(names, fitting(additional, resolve), { maxKeys: 3 });
}

function number(schema: Schema, name: string, otherwise: number): number {
  const value = schema[name];
  return typeof value === "number" ? value : otherwise;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
