import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";

/** Hands a request on to the host that leads, whose hub it is about. */
export function forward(
  leaderUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve) => {
    const target = new URL(request.url ?? "/", leaderUrl);
    const onward = httpRequest(target, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("close", resolve);
    });
    onward.on("error", () => {
      unavailable(response);
      resolve();
    });
    request.pipe(onward);
  });
}

/** Between two leaders: nothing was done, so it can be asked again. */
export function unavailable(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(503, { "retry-after": "1", "content-type": "application/json" });
  response.end(JSON.stringify({ Message: "No host leads the task hub at the moment: try again" }));
}
