import type { FaultCode } from "../faults.ts";
import type { Role } from "../ledgers/api-keys.ts";
import type { Tag } from "./tags.ts";
import { type JsonSchema, typed, type TypedSchema } from "./typed-schema.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The names in braces: `ParamName<"v1/connections/{connectionId}">` is `"connectionId"`. */
export type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never;

/**
 * One operation of the API, as data: the handler's types, the checks before it, the audit behind it, the OpenAPI
 * document, the tables in the docs and the fuzz test all come from here.
 */
interface Definition<Path extends string, Query, Body> {
  /** Also the name of the function in Azure. */
  readonly operationId: string;
  readonly method: Method;
  /** Below `/api/`. */
  readonly path: Path;
  /** The least role that may call it; `public` needs no key. */
  readonly role: Role | "public";
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** A schema for each name in braces. */
  readonly params?: Readonly<Record<ParamName<Path>, JsonSchema>>;
  /** What is not named here is refused. */
  readonly query?: TypedSchema<Query>;
  readonly body?: BodySpec<Body>;
  /** Whether the change can be made conditional on the `etag` of what was read. */
  readonly takesIfMatch?: boolean;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Answered without `x-correlation-id`. */
  readonly uncorrelated?: boolean;
  /** Those of its own; what every endpoint can answer is added by `faultsOf`. */
  readonly faults?: readonly FaultCode[];
  /** Every endpoint but GET says what it leaves in the audit; `changes-nothing` for checks and dry runs. */
  readonly audit?: AuditRule | "changes-nothing";
}

export interface BodySpec<Body> extends TypedSchema<Body> {
  readonly example: unknown;
  /** Default: application/json. */
  readonly contentTypes?: readonly string[];
}

export interface ResponseSpec {
  readonly description: string;
  /** Without one there is no body, unless `contentType` names another kind than JSON. */
  readonly schema?: JsonSchema;
  readonly contentType?: string;
  readonly example?: unknown;
  /** Beside `x-correlation-id`, which is on every answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AuditRule {
  /** `connection.create` */
  readonly action: string;
  /** `connections/{connectionId}`; names come from the path, or from the answer for what is made by the call. */
  readonly target: string;
  /** Fields of the body that are kept. What is not named cannot leak. */
  readonly details?: readonly string[];
}

export interface Endpoint<Path extends string = string, Query = unknown, Body = unknown> extends Definition<
  Path,
  Query,
  Body
> {
  /** The path's values, each fitting its schema. */
  readonly pathValues: TypedSchema<Readonly<Record<ParamName<Path>, string>>>;
}

/** Infers the names in the path and the types of query and body, so that the handler gets them. */
export function endpoint<const Path extends string, Query, Body>(
  definition: Definition<Path, Query, Body>,
): Endpoint<Path, Query, Body> {
  const { path, params = {} } = definition;
  return {
    ...definition,
    pathValues: typed({ type: "object", required: paramNames(path), properties: params }),
  };
}

export function paramNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
