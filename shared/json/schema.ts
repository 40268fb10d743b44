import { Ajv, type ErrorObject, type SchemaObject, type ValidateFunction } from "ajv";

import { nearest } from "./nearest.ts";
import { formatPath } from "./paths.ts";

export interface Problem {
  /** Where in the document, such as `routes[0].enabled`; empty for the document itself. */
  readonly path: string;
  /** What is wrong and what is allowed. Never the value: it may be a secret put in the wrong place. */
  readonly message: string;
}

/** A document does not have the form its schema asks for: everything that is wrong, at once. */
export class SchemaProblems extends Error {
  override readonly name = "SchemaProblems";
  /** What was read, such as `The configuration`. */
  readonly where: string;
  readonly problems: readonly Problem[];

  constructor(where: string, problems: readonly Problem[]) {
    const lines = problems.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
    super(`${where} is not as it must be: ${lines.join("; ")}.`);
    this.where = where;
    this.problems = problems;
  }
}

/** A document full of mistakes is mended a hundred at a time. */
const shownProblems = 100;

const ajv = new Ajv({
  allErrors: true,
  // Gives the describer the schema and the value beside each error.
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  discriminator: true,
  addUsedSchema: false,
  formats: {
    uri: (address: string) => URL.canParse(address),
    "date-time": (time: string) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(time) && !Number.isNaN(Date.parse(time)),
  },
});

/**
 * Makes a reader of documents of one form. The schema is compiled when it is first needed, since compiling costs more
 * than anything else at a cold start.
 */
export function reader<T>(schema: SchemaObject): (value: unknown, where?: string) => T {
  let validate: ValidateFunction<T> | undefined;
  return (value, where = "The document") => {
    validate ??= ajv.compile<T>(schema);
    if (validate(value)) return value;
    throw new SchemaProblems(where, problemsOf(validate.errors ?? [], value));
  };
}

function problemsOf(errors: readonly ErrorObject[], value: unknown): Problem[] {
  const problems = errors
    .filter(({ keyword }) => !echoes.has(keyword))
    .map((error) => problemOf(error, value));
  const distinct = [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
  if (distinct.length <= shownProblems) return distinct;
  const more = { path: "", message: `and ${distinct.length - shownProblems} more problems` };
  return [...distinct.slice(0, shownProblems), more];
}

/** Keywords whose error only says that one below them failed, which is reported by itself. */
const echoes = new Set(["propertyNames", "if"]);

function problemOf(error: ErrorObject, document: unknown): Problem {
  const { keyword, instancePath, propertyName } = error;
  const steps = stepsOf(instancePath, document);
  const named =
    propertyName ?? text(error.params, keyword === "required" ? "missingProperty" : "additionalProperty");
  if (named !== undefined) steps.push(shortened(named));
  const message = propertyName === undefined ? messageOf(error) : `is a name that ${messageOf(error)}`;
  return { path: formatPath(steps), message };
}

/** A JSON pointer as steps: what is an index and what a name, the document itself says. */
function stepsOf(pointer: string, document: unknown): (string | number)[] {
  const steps: (string | number)[] = [];
  let parent = document;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const step = Array.isArray(parent) ? Number(name) : name;
    steps.push(typeof step === "string" ? shortened(step) : step);
    parent = isObject(parent) ? Object.getOwnPropertyDescriptor(parent, step)?.value : undefined;
  }
  return steps;
}

type Describe = (error: ErrorObject) => string;

/** What each keyword of JSON Schema says when it is not kept. */
const descriptions: Readonly<Record<string, Describe>> = {
  type: ({ params }) => `must be ${typeNames(params["type"])}`,
  required: () => "is missing",
  additionalProperties: ({ params, parentSchema }) => {
    const allowed = Object.keys(objectIn(parentSchema, "properties"));
    const meant = nearest(text(params, "additionalProperty") ?? "", allowed);
    const list = allowed.length === 0 ? "nothing is allowed here" : `allowed are ${allowed.join(", ")}`;
    return meant === undefined ? `is not known; ${list}` : `is not known, did you mean ${meant}? (${list})`;
  },
  enum: ({ params, data }) => {
    const allowed = listIn(params, "allowedValues").map(String);
    const meant = typeof data === "string" ? nearest(data, allowed) : undefined;
    return `must be one of ${allowed.join(", ")}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
  },
  const: ({ params }) => `must be ${JSON.stringify(params["allowedValue"])}`,
  pattern: ({ params, parentSchema }) =>
    `does not have the right form: ${text(parentSchema, "description") ?? `it must match ${text(params, "pattern") ?? ""}`}`,
  format: ({ params }) => `must be ${formatNames[text(params, "format") ?? ""] ?? "of another form"}`,
  minLength: ({ params }) =>
    params["limit"] === 1 ? "must not be empty" : `must have at least ${limit(params)} characters`,
  maxLength: ({ params }) => `must have at most ${limit(params)} characters`,
  minimum: ({ params }) => `must be ${limit(params)} or more`,
  maximum: ({ params }) => `must be ${limit(params)} or less`,
  exclusiveMinimum: ({ params }) => `must be more than ${limit(params)}`,
  exclusiveMaximum: ({ params }) => `must be less than ${limit(params)}`,
  minItems: ({ params }) => `must have at least ${limit(params)} items`,
  maxItems: ({ params }) => `must have at most ${limit(params)} items`,
  minProperties: ({ params }) => `must have at least ${limit(params)} properties`,
  maxProperties: ({ params }) => `must have at most ${limit(params)} properties`,
  uniqueItems: () => "must not hold the same item twice",
  oneOf: () => "must have exactly one of the forms that are allowed here",
  anyOf: () => "must have one of the forms that are allowed here",
  discriminator: ({ params }) => `needs a known ${text(params, "tag") ?? "kind"}`,
  "false schema": () => "is not allowed here",
};

function messageOf(error: ErrorObject): string {
  return descriptions[error.keyword]?.(error) ?? error.message ?? "is not allowed";
}

const formatNames: Readonly<Record<string, string>> = {
  uri: "a whole address, such as https://example.com/hook",
  "date-time": "a time, such as 2026-11-18T09:30:00Z",
};

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function typeNames(type: unknown): string {
  const names = (Array.isArray(type) ? type.map(String) : String(type).split(",")).map(
    (name) => typeWords[name] ?? name,
  );
  return names.length === 1 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}

function limit(params: Readonly<Record<string, unknown>>): string {
  return String(params["limit"]);
}

function text(from: unknown, key: string): string | undefined {
  const value = isObject(from) ? from[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

function objectIn(from: unknown, key: string): object {
  const value = isObject(from) ? from[key] : undefined;
  return isObject(value) ? value : {};
}

function listIn(from: unknown, key: string): readonly unknown[] {
  const value = isObject(from) ? from[key] : undefined;
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === "object" && value !== null;
}

function shortened(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 61)}...`;
}
