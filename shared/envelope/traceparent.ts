import { newId } from "./ids.ts";

const form = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/** The last half of an id: its version stands in the first. */
export function newSpanId(): string {
  return newId().slice(16);
}

/** A step in the same trace (W3C `traceparent`). A parent that is none begins a trace of its own. */
export function childTraceparent(parent: string, spanId = newSpanId()): string {
  const [, traceId = newId(), flags = "01"] = form.exec(parent) ?? [];
  return `00-${traceId}-${spanId}-${flags}`;
}
