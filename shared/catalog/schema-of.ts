type Basic = "string" | "integer" | "number" | "boolean" | "object" | "array";

/** `string` must be there, `string|null` too but may be null, `string?` may be absent. */
export type FieldType = `${Basic}${"" | "|null"}${"" | "?"}`;

/** Fields by their path: `pull_request.labels[].name`. */
export type Fields = Readonly<Record<string, FieldType>>;

/** JSON Schema, draft 07. What it does not mention is allowed: vendors add fields every week. */
export interface PayloadSchema {
  readonly type: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PayloadSchema>>;
  readonly items?: PayloadSchema;
}

interface Group {
  own?: FieldType;
  isList: boolean;
  readonly below: Record<string, FieldType>;
}

/** The schema of a payload, from the paths that routes and sources rely on. */
export function schemaOf(fields: Fields): PayloadSchema {
  const groups = [...groupByFirstName(fields)];
  const required = groups.filter(([, group]) => isRequired(group)).map(([name]) => name);
  const properties = Object.fromEntries(groups.map(([name, group]) => [name, schemaOfGroup(group)]));
  return { type: "object", ...(required.length === 0 ? {} : { required }), properties };
}

function groupByFirstName(fields: Fields): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const [path, type] of Object.entries(fields)) {
    const [first = "", ...rest] = path.split(".");
    const name = first.replace("[]", "");
    const group = groups.get(name) ?? { isList: false, below: {} };
    groups.set(name, group);
    group.isList ||= first.endsWith("[]");
    if (rest.length === 0) group.own = type;
    else group.below[rest.join(".")] = type;
  }
  return groups;
}

/** A list may be absent or empty whatever its elements must have. */
function isRequired({ own, isList, below }: Group): boolean {
  if (own !== undefined) return !own.endsWith("?");
  return !isList && Object.values(below).some((type) => !type.endsWith("?"));
}

function schemaOfGroup({ own, isList, below }: Group): PayloadSchema {
  const nested = Object.keys(below).length === 0 ? undefined : schemaOf(below);
  if (isList) return { type: "array", ...(nested === undefined ? {} : { items: nested }) };
  const type = typeOf(own ?? "object");
  return nested === undefined ? { type } : { ...nested, type };
}

function typeOf(field: FieldType): string | readonly string[] {
  const types = field.replace("?", "").split("|");
  return types.length === 1 ? (types[0] ?? "") : types;
}
