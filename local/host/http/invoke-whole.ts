import type { IncomingMessage, ServerResponse } from "node:http";

import type { HostContext } from "../host-context.ts";
import { readBody } from "./body.ts";
import { requestData, traceContextOf } from "./request-data.ts";
import { respond, respondAndClose, respondWith } from "./respond.ts";
import type { RouteMatch } from "./router.ts";
import type { RequestTarget } from "./target.ts";

/** Calls a function with the whole request and answers with the whole response. */
export async function invokeWhole(
  context: HostContext,
  limit: number,
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  { route, values }: RouteMatch,
): Promise<void> {
  const body = await readBody(request, limit);
  if (body.kind === "aborted") return;
  if (body.kind === "too-large") {
    respondAndClose(response, 413);
    return;
  }
  const traceContext = traceContextOf(request);
  const result = await context.invoker.invoke(route.fn, {
    reason: "This function was programmatically called via the host APIs.",
    data: { http: requestData(request, target, values, body.bytes) },
    ...(traceContext && { traceContext }),
  });
  if (result.kind === "failed") respond(response, 500);
  else respondWith(response, result.response.returnValue?.http);
}
