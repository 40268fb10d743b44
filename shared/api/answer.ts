import type { HttpResponseInit } from "@azure/functions";

import { jsonContentType } from "./read-body.ts";

/** What a handler answers with. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON; without it and `bytes` there is no body. */
  readonly body?: unknown;
  /** Sent as they are, with the `content-type` from `headers`. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the audit keeps of the outcome, beside the body's fields that the endpoint names. */
  readonly audit?: object;
}

/** Answers belong to a tenant: no cache keeps them, and no browser guesses what they are. */
const always = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function toResponse(answer: Answer, correlationId: string): HttpResponseInit {
  const { status, body, bytes } = answer;
  const headers: Record<string, string> = { ...always, ...answer.headers, "x-correlation-id": correlationId };
  if (bytes !== undefined) return { status, headers, body: bytes };
  if (body === undefined) return { status, headers };
  return { status, headers: { "content-type": jsonContentType, ...headers }, body: JSON.stringify(body) };
}
