const eventId = "8d0c1c1e5f1b4d8fa8c5a2f0e3b7d914";
const connectionId = "3f2b8c0d9e4a4b5c8d7e6f5a4b3c2d1e";
const configHash = "5f0c8a1be2d94c7790c8f6f1d3b2a4e7";
const received = "2026-11-18T09:30:00.000Z";
const routed = "2026-11-18T09:30:00.041Z";
const done = "2026-11-18T09:30:00.187Z";
const subject = "github.events.pull_request.opened";

export const exampleSummary = {
  eventId,
  correlationId: eventId,
  subject,
  sourceSystem: "github",
  connectionId,
  objectType: "pull_request",
  objectId: "acme/shop#12",
  eventType: "opened",
  receivedAt: received,
  routedAt: routed,
  status: "ROUTED",
  routes: ["PR_TO_CHAT"],
  configHash,
  payloadHash: "ab".repeat(32),
};

export const exampleTimeline = [
  { at: received, kind: "received", details: { subject, connectionId, size: 8123 } },
  { at: routed, kind: "routed", routeName: "PR_TO_CHAT", details: { configHash } },
  {
    at: done,
    kind: "executed",
    routeName: "PR_TO_CHAT",
    details: { sideEffectRef: "message-4711", attempt: 1, durationMs: 120 },
  },
];

export const exampleEvent = {
  eventId,
  correlationId: eventId,
  status: "ROUTED",
  routedAt: routed,
  configHash,
  envelope: { specversion: "1.0", id: eventId, type: subject, tenantid: "demo" },
  webhook: { contentType: "application/json", size: 8123, headers: { "x-github-event": "pull_request" } },
  data: { action: "opened" },
  routes: [
    {
      routeName: "PR_TO_CHAT",
      state: "DONE",
      ledger: {
        key: "c0ffee00c0ffee00c0ffee00c0ffee00",
        state: "done",
        attempt: 1,
        createdAt: routed,
        mayHaveHappened: false,
        correlationId: eventId,
        sideEffectRef: "message-4711",
        doneAt: done,
      },
    },
  ],
  timeline: exampleTimeline,
};
