import type { ServerResponse } from "node:http";

import type { HttpData } from "../worker/typed-data.ts";
import { setCookie } from "./cookies.ts";

/** Headers that belong to one connection, not to the message on it. */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Answers unless the answer has begun or the client has left. */
export function respond(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array = "",
  type?: string,
): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  if (type !== undefined) response.setHeader("content-type", type);
  end(response, Buffer.from(body));
}

export function respondJson(response: ServerResponse, status: number, value: unknown): void {
  respond(response, status, JSON.stringify(value), "application/json; charset=utf-8");
}

/** For requests whose rest will not be read: the connection cannot be used again. */
export function respondAndClose(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.setHeader("connection", "close");
  respond(response, status);
}

/** What a handler returned; a handler that returned nothing has said 200. */
export function respondWith(response: ServerResponse, data: HttpData | undefined): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = Number(data?.statusCode ?? 200);
  for (const [name, value] of Object.entries(data?.headers ?? {})) {
    if (!hopByHopHeaders.has(name) && name !== "content-length") response.setHeader(name, value);
  }
  for (const cookie of data?.cookies ?? []) response.appendHeader("set-cookie", setCookie(cookie));
  const { bytes, string } = data?.body ?? {};
  end(response, bytes === undefined ? Buffer.from(string ?? "") : Buffer.from(bytes));
}

function end(response: ServerResponse, body: Buffer): void {
  const bodiless = response.statusCode < 200 || response.statusCode === 204 || response.statusCode === 304;
  if (bodiless) {
    response.end();
    return;
  }
  response.setHeader("content-length", body.length);
  response.end(body);
}
