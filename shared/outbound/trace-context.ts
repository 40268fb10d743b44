import { randomBytes } from "node:crypto";

const form = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

export function newSpanId(): string {
  return randomBytes(8).toString("hex");
}

/** A step in the same trace (W3C `traceparent`). A parent that is none begins a trace of its own. */
export function childTraceparent(parent: string, spanId: string): string {
  const [, traceId = randomBytes(16).toString("hex"), flags = "01"] = form.exec(parent) ?? [];
  return `00-${traceId}-${spanId}-${flags}`;
}
