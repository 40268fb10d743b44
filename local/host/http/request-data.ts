import type { IncomingMessage } from "node:http";

import type { HttpData, NullableStrings, TraceContext, TypedData } from "../worker/typed-data.ts";
import { forwardedFor } from "./forwarded-for.ts";
import type { RouteValues } from "./match.ts";
import type { RequestTarget } from "./target.ts";

/**
 * Header values by lower-case name, joined as the platform joins repeated ones; empty ones are left out, and
 * `x-forwarded-for` ends with whoever is at the other end of the connection.
 */
export function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    const value = (values ?? []).join(name === "cookie" ? "; " : ",");
    if (value !== "") headers[name] = value;
  }
  headers["x-forwarded-for"] = forwardedFor(headers["x-forwarded-for"], request.socket);
  return headers;
}

/** Query values by key, in which upper and lower case are one; those of a repeated key are joined by commas. */
export function queryOf(url: URL): Record<string, string> {
  const spelling = new Map<string, string>();
  const query: Record<string, string> = {};
  for (const [key, value] of url.searchParams) {
    const known = spelling.get(key.toLowerCase());
    if (known === undefined) spelling.set(key.toLowerCase(), key);
    const name = known ?? key;
    query[name] = known === undefined ? value : `${query[name]},${value}`;
  }
  return query;
}

/** A request as the worker gets it when it is passed on in one piece. */
export function requestData(
  request: IncomingMessage,
  target: RequestTarget,
  values: RouteValues,
  body: Buffer,
): HttpData {
  return {
    method: target.method,
    url: target.url.href,
    nullableHeaders: nullable(headersOf(request)),
    nullableParams: nullable(values),
    nullableQuery: nullable(queryOf(target.url)),
    headers: {},
    params: {},
    query: {},
    body: body.length === 0 ? null : { bytes: body },
    cookies: [],
  };
}

/** A streamed request's headers and parameters, which the worker reads from here and nowhere else. */
export function streamedMetadata(
  request: IncomingMessage,
  target: RequestTarget,
  values: RouteValues,
): Record<string, TypedData> {
  const parameters = Object.entries(values).map(([name, value]) => [name, { string: value }] as const);
  return {
    ...Object.fromEntries(parameters),
    Headers: { json: JSON.stringify(headersOf(request)) },
    Query: { json: JSON.stringify(queryOf(target.url)) },
  };
}

export function traceContextOf(request: IncomingMessage): TraceContext | undefined {
  if (request.headers["traceparent"] === undefined) return undefined;
  const { traceparent = "", tracestate = "" } = headersOf(request);
  return traceparent === ""
    ? undefined
    : { traceParent: traceparent, traceState: tracestate, attributes: {} };
}

function nullable(values: Readonly<Record<string, string>>): NullableStrings {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}
