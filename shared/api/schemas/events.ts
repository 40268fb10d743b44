import type { JSONSchema } from "json-schema-to-ts";

import { omissions } from "../../events/show-event.ts";
import { progressStates } from "../../events/route-progress.ts";
import { failureClasses } from "../../failures/classes.ts";
import { eventStatuses } from "../../ledgers/events.ts";
import { timelineKinds } from "../../ledgers/timeline.ts";
import { failureMachine } from "../../machines/failure.ts";
import { pageProperties } from "../page.ts";
import { time } from "./config.ts";

export const eventId = { type: "string", pattern: "^[0-9a-f]{32}$", description: "32 hex digits." } as const;
const text = { type: "string" } as const;
const wanted = { type: "string", minLength: 1, maxLength: 200 } as const;

export const eventsQuery = {
  type: "object",
  additionalProperties: false,
  properties: {
    from: { ...time, description: "When it was received, at the earliest; a day before `to` without it." },
    to: { ...time, description: "When it was received, at the latest; at most 31 days after `from`." },
    sourceSystem: wanted,
    subject: {
      ...wanted,
      pattern: "^(([A-Za-z0-9_-]+|\\*)\\.)*([A-Za-z0-9_-]+|\\*|#)$",
      description: "May be a pattern: `*` for one segment, `#` at the end for the rest.",
    },
    connectionId: wanted,
    objectType: wanted,
    objectId: { ...wanted, maxLength: 1024 },
    status: { enum: eventStatuses },
    routeName: { ...wanted, description: "A route that took it on." },
    ...pageProperties,
  },
} as const satisfies JSONSchema;

export const eventQuery = {
  type: "object",
  additionalProperties: false,
  properties: {
    data: {
      type: "boolean",
      default: true,
      description: "Whether to show the payload, to those who may see it; leave it out when polling.",
    },
  },
} as const satisfies JSONSchema;

export const eventSummary = {
  title: "EventSummary",
  type: "object",
  additionalProperties: false,
  required: [
    "eventId",
    "correlationId",
    "subject",
    "sourceSystem",
    "connectionId",
    "objectType",
    "objectId",
    "eventType",
    "receivedAt",
    "routedAt",
    "status",
    "routes",
    "configHash",
    "payloadHash",
  ],
  properties: {
    eventId,
    correlationId: text,
    subject: text,
    sourceSystem: text,
    connectionId: text,
    objectType: text,
    objectId: text,
    eventType: text,
    receivedAt: time,
    routedAt: time,
    status: { enum: eventStatuses, description: "What the router made of it." },
    routes: { type: "array", items: text, description: "Names of the routes that took it on." },
    configHash: { ...text, description: "The configuration it was routed by; `none` where there was none." },
    payloadHash: text,
  },
} as const;

export const timeline = {
  type: "array",
  items: {
    title: "TimelineStep",
    type: "object",
    additionalProperties: false,
    required: ["at", "kind"],
    properties: {
      at: time,
      kind: { enum: Object.keys(timelineKinds) },
      routeName: text,
      details: { type: "object" },
    },
  },
} as const;

const ledgerRow = {
  title: "LedgerRow",
  type: "object",
  additionalProperties: false,
  required: ["key", "state", "attempt", "createdAt", "mayHaveHappened", "correlationId"],
  properties: {
    key: { ...text, description: "The idempotency key." },
    state: { enum: ["claimed", "waiting", "parked", "done"] },
    attempt: { type: "integer" },
    createdAt: time,
    mayHaveHappened: { type: "boolean", description: "An attempt was made whose end nobody saw." },
    correlationId: { ...text, description: "Of the event that the effect is of; a duplicate's is another." },
    nextAttemptAt: time,
    sideEffectRef: { ...text, description: "What the vendor calls what was made." },
    doneAt: time,
  },
} as const;

const routeFailure = {
  type: "object",
  additionalProperties: false,
  required: [
    "failureId",
    "state",
    "classification",
    "code",
    "message",
    "attempts",
    "firstFailedAt",
    "lastFailedAt",
    "mayHaveHappened",
  ],
  properties: {
    failureId: text,
    state: { enum: Object.keys(failureMachine.states) },
    classification: { enum: Object.keys(failureClasses) },
    code: text,
    message: text,
    attempts: { type: "integer" },
    firstFailedAt: time,
    lastFailedAt: time,
    mayHaveHappened: { type: "boolean" },
    httpStatus: { type: "integer" },
    nextAttemptAt: time,
  },
} as const;

export const eventDetail = {
  title: "Event",
  type: "object",
  additionalProperties: false,
  required: ["eventId", "correlationId", "status", "envelope", "webhook", "routes", "timeline"],
  properties: {
    eventId,
    correlationId: text,
    status: { enum: [...eventStatuses, "RECEIVED", "QUARANTINED"] },
    routedAt: time,
    configHash: text,
    envelope: { type: "object", description: "The CloudEvents attributes." },
    webhook: {
      type: "object",
      additionalProperties: false,
      required: ["contentType", "size", "headers"],
      properties: {
        contentType: text,
        size: { type: "integer", description: "In bytes." },
        headers: { type: "object", additionalProperties: text, description: "Without what is secret." },
        problem: { ...text, description: "Why it cannot be used." },
      },
    },
    data: { description: "The payload, for operators." },
    dataOmitted: { enum: omissions, description: "Why there is no `data`." },
    routes: {
      type: "array",
      items: {
        title: "EventRoute",
        type: "object",
        additionalProperties: false,
        required: ["routeName", "state"],
        properties: {
          routeName: text,
          state: { enum: Object.keys(progressStates) },
          reason: { ...text, description: "Why it was skipped, or waits." },
          subscriptionName: text,
          ledger: ledgerRow,
          failure: routeFailure,
        },
      },
    },
    timeline,
  },
} as const;
