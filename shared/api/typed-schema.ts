import { reader } from "../json/schema.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema together with the type of what fits it, which is derived once, beside the schema. */
export interface TypedSchema<T> {
  readonly schema: JsonSchema;
  /** Throws `SchemaProblems` with everything that does not fit. */
  readonly read: (value: unknown) => T;
}

export function typed<T>(schema: JsonSchema): TypedSchema<T> {
  const read = reader<T>(schema);
  return { schema, read: (value) => read(value) };
}
