import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { tenantDiagnosticCodes } from "../../config/diagnose-tenant.ts";
import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { configHash, time } from "../schemas/config.ts";
import { typed } from "../typed-schema.ts";

const tag = "Catalog";
const text = { type: "string" } as const;

const subjectsQuery = {
  type: "object",
  additionalProperties: false,
  properties: {
    source: { ...text, minLength: 1, maxLength: 64, description: "Only subjects of this source." },
    observed: { type: "boolean", description: "Only those that were observed, or only those that were not." },
    ...pageProperties,
  },
} as const satisfies JSONSchema;

const subject = {
  title: "Subject",
  type: "object",
  additionalProperties: false,
  required: ["subject", "known"],
  properties: {
    subject: { ...text, description: "Ends in `*` where the last word is the user's own." },
    known: { type: "boolean", description: "Whether the built-in catalog has it." },
    source: text,
    title: text,
    schema: { type: "object", description: "JSON Schema of the payload, draft 07." },
    observed: {
      type: "object",
      additionalProperties: false,
      required: ["count", "firstSeen", "lastSeen"],
      properties: {
        count: { type: "integer", description: "Roughly, and half a minute old." },
        firstSeen: time,
        lastSeen: time,
      },
    },
  },
} as const;

const example = {
  subject: "github.events.pull_request.opened",
  known: true,
  source: "github",
  title: "A pull request changed",
  schema: { type: "object", required: ["action"], properties: { action: { type: "string" } } },
  observed: { count: 12, firstSeen: "2026-11-01T08:00:00.000Z", lastSeen: "2026-11-18T09:30:00.000Z" },
};

export const listSubjects = endpoint({
  operationId: "list-subjects",
  method: "GET",
  path: "v1/catalog/subjects",
  role: "viewer",
  tag,
  summary: "Lists the subjects that are known, and those that were seen",
  query: typed<FromSchema<typeof subjectsQuery>>(subjectsQuery),
  responses: {
    200: {
      description: "By name.",
      schema: pageSchema("SubjectPage", subject),
      example: { items: [example] },
    },
  },
});

export const readSubject = endpoint({
  operationId: "read-subject",
  method: "GET",
  path: "v1/catalog/subjects/{subject}",
  role: "viewer",
  tag,
  summary: "Shows a subject: its schema, what its payloads hold, and the routes that take it",
  params: {
    subject: {
      type: "string",
      pattern: "^[A-Za-z0-9_-]+(\\.([A-Za-z0-9_-]+|\\*))*$",
      maxLength: 200,
      description: "Segments with dots between.",
    },
  },
  responses: {
    200: {
      description: "The subject.",
      schema: {
        ...subject,
        title: "SubjectDetail",
        required: [...subject.required, "fieldPaths", "routes"],
        properties: {
          ...subject.properties,
          fieldPaths: {
            type: "array",
            items: text,
            description: "Where its payloads held something; never what.",
          },
          routes: { type: "array", items: text, description: "Routes whose own subject matches it." },
        },
      },
      example: { ...example, fieldPaths: ["pull_request.title"], routes: ["PR_TO_CHAT"] },
    },
  },
});

export const diagnoseConfig = endpoint({
  operationId: "diagnose-config",
  method: "GET",
  path: "v1/catalog/diagnostics",
  role: "viewer",
  tag,
  summary: "Compares the configuration in place with what really came in",
  description:
    "Finds misspelt subjects, routes that nothing ever comes for, subjects that no route takes, and paths that no payload " +
    "held. It looks at every subject observed, and at 500 events of the last week.",
  responses: {
    200: {
      description: "What seems wrong; nothing of it keeps a route from running.",
      schema: {
        title: "TenantDiagnosis",
        type: "object",
        additionalProperties: false,
        required: ["hash", "diagnostics"],
        properties: {
          hash: configHash,
          diagnostics: {
            type: "array",
            items: {
              title: "TenantDiagnostic",
              type: "object",
              additionalProperties: false,
              required: ["code", "message"],
              properties: {
                code: { enum: Object.keys(tenantDiagnosticCodes) },
                path: { ...text, description: "Where in the configuration." },
                subject: text,
                message: text,
                suggestion: text,
              },
            },
          },
        },
      },
      example: {
        hash: "5f0c8a1be2d94c7790c8f6f1d3b2a4e7",
        diagnostics: [
          {
            code: "UNKNOWN_SUBJECT",
            path: "routes[0].subject",
            message: "The subject 'github.events.pull_reqest.opened' is unknown; did you mean …?",
            suggestion: "github.events.pull_request.opened",
          },
        ],
      },
    },
  },
  faults: ["not-found"],
});
