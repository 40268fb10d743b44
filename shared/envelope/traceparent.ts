import { randomBytes } from "node:crypto";

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const nothing = /^0+$/;

/** Goes on with the caller's trace where the header is well formed (W3C Trace Context), and begins one otherwise. */
export function traceparentFrom(header: string | null): string {
  const [, traceId, parentId, flags] = pattern.exec(header ?? "") ?? [];
  const isValid =
    traceId !== undefined && parentId !== undefined && !nothing.test(traceId) && !nothing.test(parentId);
  return `00-${isValid ? traceId : randomBytes(16).toString("hex")}-${newSpanId()}-${isValid ? flags : "01"}`;
}

/** The same trace, a step further. */
export function childOf(traceparent: string): string {
  return traceparent.replace(pattern, (_, traceId, __, flags) => `00-${traceId}-${newSpanId()}-${flags}`);
}

function newSpanId(): string {
  return randomBytes(8).toString("hex");
}
