import type { JSONSchema } from "json-schema-to-ts";

import { configHash, routeConfig, time } from "./config.ts";

const eventId = { type: "string", pattern: "^[0-9a-f]{32}$", description: "32 hex digits." } as const;
const text = { type: "string", minLength: 1, maxLength: 200 } as const;

const sample = {
  title: "SampleEvent",
  type: "object",
  additionalProperties: false,
  required: ["subject"],
  properties: {
    subject: {
      ...text,
      pattern: "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$",
      description: "What is left out below is taken from it, as far as it says so.",
    },
    sourceSystem: text,
    connectionId: text,
    objectType: text,
    objectId: text,
    eventType: text,
    time,
    data: { description: "The payload." },
  },
} as const;

export const explainRequest = {
  title: "ExplainRequest",
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  properties: {
    eventId: { ...eventId, description: "An event that came in; or else `sample`." },
    sample,
    hash: { ...configHash, description: "A version to explain by; without it the current one." },
    config: { type: "object", description: `A ${routeConfig.title} to explain by that is not stored.` },
  },
} as const satisfies JSONSchema;

export const explainOutcomes = ["RUNS", "DISABLED", "FILTERED", "SHADOWED", "NO_MATCH"] as const;

const requestPreview = {
  title: "ExplainedRequest",
  type: "object",
  additionalProperties: false,
  required: ["method", "url", "headers"],
  description: "Credentials are named, not filled in.",
  properties: {
    method: { type: "string" },
    url: { type: "string" },
    headers: { type: "object", additionalProperties: { type: "string" } },
    body: { type: "string" },
  },
} as const;

export const explainedRoute = {
  title: "ExplainedRoute",
  type: "object",
  additionalProperties: false,
  required: ["routeName", "outcome", "unmet", "filters"],
  properties: {
    routeName: { type: "string" },
    outcome: { enum: explainOutcomes },
    subscriptionName: { type: "string", description: "Where a subscription chose the route." },
    shadowedBy: { type: "string", description: "The route that runs instead." },
    paused: { type: "boolean", description: "It would wait in the backlog." },
    unmet: {
      type: "array",
      description: "What the route asks of an event and this one has not.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["criterion", "wanted", "found"],
        properties: {
          criterion: { enum: ["subject", "sourceSystem", "connectionId", "objectType", "eventType"] },
          wanted: { type: "string" },
          found: { type: "string" },
        },
      },
    },
    filters: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["path", "operator", "holds", "found"],
        properties: {
          path: { type: "string" },
          operator: { type: "string" },
          value: { description: "What it compares with." },
          holds: { type: "boolean" },
          found: { type: "array", items: {}, description: "What stands at the path; of many the first." },
        },
      },
    },
    mode: { enum: ["queue", "inline", "drain"] },
    ledgerKey: { type: "string", description: "Under which the side effect would be remembered." },
    request: requestPreview,
    problem: { type: "string", description: "Why no request or key can be made of this event." },
  },
} as const;
