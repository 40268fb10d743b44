import { canonicalJson } from "../json/canonical.ts";
import type { JsonSchema } from "./typed-schema.ts";

interface Collector {
  /** The schema as it stands in the document: what has a title is referred to. */
  readonly place: (schema: JsonSchema) => JsonSchema;
  readonly components: () => Readonly<Record<string, JsonSchema>>;
}

/** What holds values rather than schemas: a title in there is only a word. */
const values = new Set(["const", "enum", "default", "examples"]);

/** Gathers every schema that has a title, so that the document says each of them once. */
export function collectComponents(): Collector {
  const found = new Map<string, JsonSchema>();

  function place(schema: JsonSchema): JsonSchema {
    const { title } = schema;
    if (typeof title !== "string") return inner(schema);
    const held = found.get(title);
    const placed = inner(schema);
    if (held !== undefined && canonicalJson(held) !== canonicalJson(placed)) {
      throw new Error(`Two schemas are called ${title}`);
    }
    found.set(title, placed);
    return { $ref: `#/components/schemas/${title}` };
  }

  function inner(schema: JsonSchema): JsonSchema {
    return Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [name, values.has(name) ? value : visit(value)]),
    );
  }

  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit);
    return isRecord(value) ? place(value) : value;
  }

  return {
    place,
    components: () => Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
