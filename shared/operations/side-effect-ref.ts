import { createHash } from "node:crypto";

import { readPath } from "../json/paths.ts";
import type { OutboundAnswer } from "../outbound/send-request.ts";
import { redactUrl } from "../outbound/redact.ts";

const maxLength = 512;

/** What the vendor calls what it did: by the route's path, else its `Location`, else the answer's own fingerprint. */
export function sideEffectRefOf(answer: OutboundAnswer, path: string | undefined, url: URL): string {
  const named = path === undefined ? undefined : textOf(readPath(parsedBody(answer), path));
  return (named ?? locationOf(answer, url) ?? fingerprintOf(answer)).slice(0, maxLength);
}

/** The JSON of an answer, or undefined. */
export function parsedBody({ bodyText }: OutboundAnswer): unknown {
  try {
    return JSON.parse(bodyText);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return textOf(value[0]);
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function locationOf({ headers }: OutboundAnswer, url: URL): string | undefined {
  const location = headers["location"];
  if (location === undefined || !URL.canParse(location, url.href)) return undefined;
  return redactUrl(new URL(location, url));
}

function fingerprintOf({ status, bodyText }: OutboundAnswer): string {
  return `http:${status}:${createHash("sha256").update(bodyText).digest("hex").slice(0, 16)}`;
}
