import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { typed } from "../typed-schema.ts";

const tag = "Escalations";
const time = { type: "string", format: "date-time" } as const;

const key = {
  type: "string",
  pattern: "^[0-9]{14}-[0-9a-f]{32}$",
  description: "As the list gives it.",
} as const;

const escalation = {
  title: "Escalation",
  type: "object",
  additionalProperties: false,
  required: [
    "key",
    "escalationId",
    "raisedAt",
    "code",
    "message",
    "runbook",
    "routeName",
    "correlationId",
    "objectId",
    "classification",
    "failureId",
  ],
  properties: {
    key,
    escalationId: { type: "string" },
    raisedAt: time,
    code: { type: "string" },
    message: { type: "string" },
    runbook: { type: "string", description: "docs/runbooks/<name>.md says what to do." },
    routeName: { type: "string" },
    correlationId: { type: "string" },
    objectId: { type: "string" },
    classification: { type: "string" },
    failureId: { type: "string", description: "Empty where no single failure is the cause." },
    acknowledgedAt: time,
    acknowledgedBy: { type: "string", description: "Id of the API key." },
  },
} as const;

const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: {
    acknowledged: { type: "boolean", description: "Only those that are, or are not; without it all." },
    ...pageProperties,
  },
} as const satisfies JSONSchema;

const example = {
  key: "98235200000000-0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f",
  escalationId: "0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f",
  raisedAt: "2026-11-18T09:30:00.000Z",
  code: "HTTP_401",
  message: "api.example.com answered 401: the credential is missing, wrong or expired",
  runbook: "replay",
  routeName: "pr-to-board",
  correlationId: "3f2b8c0d9e4a4b5c8d7e6f5a4b3c2d1e",
  objectId: "acme/site#17",
  classification: "Auth",
  failureId: "5f0c2b9a4d8e4c1fb7a6930e12d4c8aa",
};

export const listEscalations = endpoint({
  operationId: "list-escalations",
  method: "GET",
  path: "v1/escalations",
  role: "viewer",
  tag,
  summary: "Lists what a person has to look at, the newest first",
  description:
    "A page may hold fewer than `limit` where it leaves some out; `nextCursor` tells whether there is more.",
  query: typed<FromSchema<typeof listQuery>>(listQuery),
  responses: {
    200: {
      description: "A page of them.",
      schema: pageSchema("EscalationPage", escalation),
      example: { items: [example] },
    },
  },
});

export const acknowledgeEscalation = endpoint({
  operationId: "acknowledge-escalation",
  method: "POST",
  path: "v1/escalations/{key}/acknowledge",
  role: "operator",
  tag,
  summary: "Says that somebody looks after it",
  description: "Acknowledging it again changes nothing: the first who did stays.",
  params: { key },
  responses: { 200: { description: "It is acknowledged.", schema: escalation, example } },
  audit: { action: "escalation.acknowledge", target: "escalations/{key}" },
});
