import type { Envelope } from "../../../shared/envelope/envelope.ts";
import type { OperationInput } from "../../../shared/operations/operation.ts";

export const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

export function inputWith(data: unknown, change: Partial<OperationInput> = {}): OperationInput {
  const envelope: Envelope = {
    specversion: "1.0",
    id: "event-1",
    source: "/connections/abc",
    type: "github.events.pull_request.opened",
    subject: "pull_request/42",
    time: "2026-03-01T12:00:00Z",
    datacontenttype: "application/json",
    tenantid: "demo",
    connectionid: "abc",
    sourcesystem: "github",
    objecttype: "pull_request",
    objectid: "42",
    eventtype: "opened",
    correlationid: "correlation-1",
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    payloadhash: "0".repeat(64),
    receivedat: "2026-03-01T12:00:01Z",
    data,
  };
  return { tenantId: "demo", routeName: "r1", envelope, idempotencyKey: "key-1", attempt: 1, ...change };
}
