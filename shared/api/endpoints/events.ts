import type { FromSchema } from "json-schema-to-ts";

import { endpoint } from "../endpoint.ts";
import { pageSchema } from "../page.ts";
import { eventDetail, eventId, eventQuery, eventsQuery, eventSummary, timeline } from "../schemas/events.ts";
import { exampleEvent, exampleSummary, exampleTimeline } from "../schemas/event-examples.ts";
import { typed } from "../typed-schema.ts";

const tag = "Events";

export const listEvents = endpoint({
  operationId: "list-events",
  method: "GET",
  path: "v1/events",
  role: "viewer",
  tag,
  summary: "Lists events, the newest first",
  description:
    "What the router has seen; an event that was accepted a moment ago may not be there yet. A page may have fewer than " +
    "`limit`, even none, and still be followed by another: a call looks through 2,000 events at the most.",
  query: typed<FromSchema<typeof eventsQuery>>(eventsQuery),
  responses: {
    200: {
      description: "A page of them.",
      schema: pageSchema("EventPage", eventSummary),
      example: { items: [exampleSummary] },
    },
  },
});

export const readEvent = endpoint({
  operationId: "read-event",
  method: "GET",
  path: "v1/events/{eventId}",
  role: "viewer",
  tag,
  summary: "Shows where an event is: what came in, what each route made of it, and its timeline",
  description: "Operators see the payload as well, and that they did is in the audit.",
  params: { eventId },
  query: typed<FromSchema<typeof eventQuery>>(eventQuery),
  responses: { 200: { description: "The event.", schema: eventDetail, example: exampleEvent } },
});

export const readRawEvent = endpoint({
  operationId: "read-raw-event",
  method: "GET",
  path: "v1/events/{eventId}/raw",
  role: "operator",
  tag,
  summary: "Downloads the exact bytes that came in",
  description: "Of an event that was made from another: the bytes of the webhook it began with.",
  params: { eventId },
  responses: {
    200: {
      description: "The bytes, with the content type that the sender gave them.",
      contentType: "*/*",
      headers: { "content-disposition": "Always `attachment`." },
    },
  },
});

export const readCorrelation = endpoint({
  operationId: "read-correlation",
  method: "GET",
  path: "v1/correlations/{correlationId}",
  role: "viewer",
  tag,
  summary: "Tells what happened under a correlation id, step by step",
  params: { correlationId: { ...eventId, description: "As answered to the sender of the webhook." } },
  responses: {
    200: {
      description: "The timeline, at most the first 1,000 steps.",
      schema: {
        title: "Correlation",
        type: "object",
        additionalProperties: false,
        required: ["correlationId", "timeline"],
        properties: { correlationId: { type: "string" }, timeline },
      },
      example: { correlationId: exampleSummary.correlationId, timeline: exampleTimeline },
    },
  },
});
