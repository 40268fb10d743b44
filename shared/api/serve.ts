import type { HttpFunctionOptions, HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";

import { assertRole, type Caller } from "../access/caller.ts";
import { createAuthenticate } from "../access/authenticate.ts";
import { audited } from "../audit/audited.ts";
import { auditTrailOn } from "../audit/trail.ts";
import { type Fault, faults } from "../faults.ts";
import { apiKeysTable } from "../ledgers/api-keys.ts";
import { createLog } from "../logging/log.ts";
import { type Platform, platform } from "../platform/platform.ts";
import { problemResponse } from "../problem.ts";
import { type Answer, toResponse } from "./answer.ts";
import type { Endpoint, ParamName } from "./endpoint.ts";
import { perPlatform } from "./per-platform.ts";
import { readJsonBody } from "./read-body.ts";
import { readPath, readQuery } from "./read-parameters.ts";
import { nameFailure } from "./unavailable.ts";

/** A request that has passed every check: the caller is known and allowed, and what it sent has the right form. */
export interface Call<Path extends string = string, Query = unknown, Body = unknown> {
  readonly caller: Caller;
  readonly params: Readonly<Record<ParamName<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The `If-Match` header, of endpoints that take it. */
  readonly ifMatch: string | undefined;
  readonly correlationId: string;
  readonly now: Date;
  readonly platform: Platform;
  /** Where the API is for this caller, such as `https://name.example/api`. */
  readonly baseUrl: string;
  readonly log: Pick<InvocationContext, "info" | "warn" | "error">;
}

export type Handler<Path extends string, Query, Body> = (call: Call<Path, Query, Body>) => Promise<Answer>;

const authenticateOn = perPlatform((on) => createAuthenticate(() => on.table(apiKeysTable)));

/** What `app.http` takes: `app.http(...serve(listConnections, handler))`. Our own keys decide, not those of the host. */
export function serve<Path extends string, Query, Body>(
  endpoint: Endpoint<Path, Query, Body>,
  handler: Handler<Path, Query, Body>,
): [name: string, options: HttpFunctionOptions] {
  const { operationId, method, path } = endpoint;
  const options: HttpFunctionOptions = {
    route: path,
    methods: [method],
    authLevel: "anonymous",
    handler: (request, context) => answerTo(endpoint, handler, request, context),
  };
  return [operationId, options];
}

async function answerTo<Path extends string, Query, Body>(
  endpoint: Endpoint<Path, Query, Body>,
  handler: Handler<Path, Query, Body>,
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const correlationId = context.invocationId;
  try {
    return toResponse(await run(endpoint, handler, request, context), correlationId);
  } catch (error) {
    const fault = nameFailure(error);
    logFailure(fault, endpoint.operationId, context);
    return problemResponse(fault, correlationId);
  }
}

/** What the caller did wrong is the caller's to know; what we did wrong is for the log. */
export function logFailure(fault: Fault, operationId: string, context: InvocationContext): void {
  if (faults[fault.code].status < 500) return;
  const { cause } = fault;
  const detail = cause instanceof Error ? `${cause.name}: ${cause.message}` : fault.message;
  const environment = platform().settings.ENVIRONMENT_NAME ?? "unnamed";
  const values = { correlationId: context.invocationId, errorCode: fault.code, detail };
  createLog(context, operationId, environment).event("request.failed", values);
}

async function run<Path extends string, Query, Body>(
  endpoint: Endpoint<Path, Query, Body>,
  handler: Handler<Path, Query, Body>,
  request: HttpRequest,
  context: InvocationContext,
): Promise<Answer> {
  const { role, audit, takesIfMatch = false } = endpoint;
  if (role === "public") throw new Error(`${endpoint.operationId} has no caller to serve`);
  const on = platform();
  const now = new Date();
  const caller = await authenticateOn(on)(request.headers, now);
  assertRole(caller, role);
  const call: Call<Path, Query, Body> = {
    caller,
    params: readPath(endpoint.pathValues, request.params),
    query: readQuery(endpoint.query, request.query),
    body: await readJsonBody(endpoint.body, request),
    ifMatch: takesIfMatch ? (request.headers.get("if-match") ?? undefined) : undefined,
    correlationId: context.invocationId,
    now,
    platform: on,
    baseUrl: request.url.slice(0, request.url.indexOf("/v1/")),
    log: context,
  };
  if (audit === undefined || audit === "changes-nothing") return handler(call);
  const change = { ...call, now: () => new Date(), warn: (line: string): void => context.warn(line) };
  return audited(auditTrailOn(on), audit, change, () => handler(call));
}
