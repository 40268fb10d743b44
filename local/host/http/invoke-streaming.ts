import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";

import type { HostContext } from "../host-context.ts";
import { announcesTooMuch } from "./body.ts";
import { headersOf, streamedMetadata, traceContextOf } from "./request-data.ts";
import { hopByHopHeaders, respond, respondAndClose } from "./respond.ts";
import type { RouteMatch } from "./router.ts";
import type { RequestTarget } from "./target.ts";

const invocationHeader = "x-ms-invocation-id";

/** How long an answer may be under way once the handler is done; longer, and the handler gave none. */
const graceMs = 100;

/**
 * Streams request and response between the client and the listener of the app's own library:
 *
 *   client  --request-->  host  --same request + x-ms-invocation-id-->  library
 *                         host  --invocation with that id-->            handler
 *   client  <--response-- host  <--response--                           library
 */
export async function invokeStreaming(
  context: HostContext,
  libraryUrl: string,
  limit: number,
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  { route, values }: RouteMatch,
): Promise<void> {
  if (announcesTooMuch(request, limit)) {
    respondAndClose(response, 413);
    return;
  }
  const id = randomUUID();
  const upstream = open(libraryUrl, id, request, target);
  const answer = relay(upstream, response);
  if (!(await connected(upstream, response))) {
    respond(response, 500);
    return;
  }
  send(request, upstream, response, limit);
  const traceContext = traceContextOf(request);
  const result = await context.invoker.invoke(route.fn, {
    id,
    reason: "This function was programmatically called via the host APIs.",
    data: { http: {} },
    triggerMetadata: streamedMetadata(request, target, values),
    ...(traceContext && { traceContext }),
  });
  if (result.kind === "succeeded") await answered(answer, response);
  else if (response.headersSent) response.destroy();
  upstream.destroy();
  request.unpipe(upstream).resume();
  respond(response, result.kind === "failed" ? 500 : 200);
}

function open(
  libraryUrl: string,
  id: string,
  request: IncomingMessage,
  target: RequestTarget,
): ClientRequest {
  const { hostname, port } = new URL(libraryUrl);
  const own = Object.entries(headersOf(request)).filter(
    ([name]) => !hopByHopHeaders.has(name) && name !== "expect",
  );
  const headers: Record<string, string> = {
    ...Object.fromEntries(own),
    [invocationHeader]: id,
    "x-forwarded-host": target.url.host,
    "x-forwarded-proto": "http",
  };
  if (request.headers["transfer-encoding"] !== undefined) headers["transfer-encoding"] = "chunked";
  return httpRequest({
    hostname,
    port,
    method: target.method,
    path: `${target.url.pathname}${target.url.search}`,
    headers,
    agent: false,
  });
}

/**
 * The handler waits for its request by id, and for ever: it may be called only once that request is
 * sure to arrive, whether or not the client leaves meanwhile.
 */
async function connected(upstream: ClientRequest, response: ServerResponse): Promise<boolean> {
  upstream.flushHeaders();
  try {
    if (upstream.socket === null) await once(upstream, "socket");
    if (upstream.socket?.connecting === true) await once(upstream.socket, "connect");
    await nextTurn();
  } catch {
    return false;
  }
  if (response.closed) {
    upstream.destroy();
    return false;
  }
  response.once("close", () => {
    if (!response.writableFinished) upstream.destroy();
  });
  return true;
}

function send(
  request: IncomingMessage,
  upstream: ClientRequest,
  response: ServerResponse,
  limit: number,
): void {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit || upstream.destroyed) return;
    respondAndClose(response, 413);
    upstream.destroy();
  });
  request.once("close", () => {
    if (!request.complete) upstream.destroy();
  });
  request.pipe(upstream);
}

/** Resolves when the library's response has been passed on whole, or cannot be any more. */
async function relay(upstream: ClientRequest, response: ServerResponse): Promise<void> {
  upstream.on("error", () => {});
  try {
    const incoming = await responseTo(upstream);
    if (response.headersSent || response.destroyed) return;
    response.statusCode = incoming.statusCode ?? 200;
    for (const [name, values] of Object.entries(incoming.headersDistinct)) {
      if (hopByHopHeaders.has(name) || name === invocationHeader || values === undefined) continue;
      response.setHeader(name, name === "set-cookie" ? values : values.join(", "));
    }
    response.flushHeaders();
    await pipeline(incoming, response);
  } catch {
    if (response.headersSent) response.destroy();
  }
}

function responseTo(upstream: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    upstream.once("response", resolve).once("error", reject);
  });
}

/** The timer may run out in a turn that has yet to read the sockets, hence one turn more. */
async function answered(answer: Promise<void>, response: ServerResponse): Promise<void> {
  if (!response.headersSent) await Promise.race([answer, delay(graceMs).then(() => nextTurn())]);
  if (response.headersSent) await answer;
}
