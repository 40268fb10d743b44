import type { IncomingMessage } from "node:http";

import { parseRoutePath, type RoutePath } from "./route-path.ts";

/** What a request asks for. */
export interface RequestTarget {
  readonly method: string;
  /** Absolute, with the host the client named. */
  readonly url: URL;
  readonly path: RoutePath;
}

/** Undefined when the request line makes no sense: a bad host, a bad path, broken percent-encoding. */
export function readTarget(request: IncomingMessage, ownHost: string): RequestTarget | undefined {
  const asked = request.url ?? "/";
  const host = request.headers.host || ownHost;
  const text = asked.startsWith("/") ? `http://${host}${asked}` : asked;
  if (/[/\\?#@]/.test(host) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const path = url.protocol === "http:" ? parseRoutePath(url.pathname) : undefined;
  return path === undefined ? undefined : { method: request.method ?? "GET", url, path };
}

/** Whether the path is `prefix` or lies below it; paths know no upper and lower case here. */
export function isBelow(url: URL, prefix: string): boolean {
  const path = url.pathname.toLowerCase();
  const top = prefix.toLowerCase().replace(/\/+$/, "");
  return path === top || path.startsWith(`${top}/`);
}
