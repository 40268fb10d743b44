import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { failureClasses, type FailureClass } from "../../failures/classes.ts";
import { failureOrigins } from "../../ledgers/failures.ts";
import { failureMachine, type FailureState } from "../../machines/failure.ts";
import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { typed } from "../typed-schema.ts";

const tag = "Failures";
const time = { type: "string", format: "date-time" } as const;
const states = Object.keys(failureMachine.states);
const classes = Object.keys(failureClasses);

const failureId = { type: "string", pattern: "^[0-9a-f]{32}$", description: "32 hex digits." } as const;

const stateMeanings = Object.entries(failureMachine.states).map(
  ([state, { means }]) => `\`${state}\`: ${means}`,
);

const failure = {
  title: "Failure",
  type: "object",
  additionalProperties: false,
  required: [
    "failureId",
    "origin",
    "state",
    "classification",
    "family",
    "attempts",
    "lastError",
    "currentStep",
    "routeName",
    "objectType",
    "objectId",
    "correlationId",
    "payloadHash",
    "firstFailedAt",
    "lastFailedAt",
    "mayHaveHappened",
    "nextAction",
  ],
  properties: {
    failureId,
    origin: {
      enum: failureOrigins,
      description: "What failed: a route's work, the reading of a webhook, or a message on the bus.",
    },
    state: { enum: states, description: stateMeanings.join(" ") },
    classification: { enum: classes },
    family: { enum: ["transient", "permanent", "data-quality"] },
    attempts: { type: "integer" },
    lastError: {
      type: "object",
      additionalProperties: false,
      required: ["code", "message", "at"],
      properties: {
        code: { type: "string", description: "Stable: `HTTP_503`, `CONFIG_MISSING`, `IN_DOUBT`." },
        message: { type: "string" },
        httpStatus: { type: "integer" },
        at: time,
      },
    },
    currentStep: { type: "string", description: "What was being done." },
    routeName: { type: "string", description: "Empty where it failed before it had a route." },
    objectType: { type: "string" },
    objectId: { type: "string" },
    correlationId: { type: "string", description: "Leads to the timeline." },
    payloadHash: { type: "string", description: "sha256 of the bytes received." },
    firstFailedAt: time,
    lastFailedAt: time,
    nextAttemptAt: time,
    mayHaveHappened: { type: "boolean", description: "The vendor may have done it all the same." },
    replayId: { type: "string", description: "The last replay that has taken it." },
    nextAction: { type: "string", description: "What to do, in words." },
  },
} as const;

const wholeFailure = {
  ...failure,
  title: "WholeFailure",
  required: [...failure.required, "dataWithheld"],
  properties: {
    ...failure.properties,
    workItem: { type: "object", description: "The work, without its event; where it failed as a route's." },
    envelope: {
      type: "object",
      description:
        "The whole canonical event. `data` is there for operators and administrators; where they were too large to " +
        "travel, `dataref` stands in their place.",
    },
    message: { type: "string", description: "What a message held that was no event." },
    dataWithheld: { type: "boolean", description: "Whether the caller's role kept the payload back." },
  },
} as const;

const group = {
  title: "FailureGroup",
  type: "object",
  additionalProperties: false,
  required: ["routeName", "code", "classification", "count", "oldest", "newest", "sampleFailureId"],
  properties: {
    routeName: { type: "string" },
    code: { type: "string" },
    classification: { enum: classes },
    count: { type: "integer" },
    oldest: time,
    newest: time,
    sampleFailureId: { ...failureId, description: "The newest of them." },
  },
} as const;

const filters = {
  routeName: { type: "string", minLength: 1, maxLength: 63 },
  classification: { enum: classes },
  code: { type: "string", minLength: 1, maxLength: 100, description: "`lastError.code`" },
} as const;

export interface FailureFilters {
  readonly routeName?: string;
  readonly classification?: FailureClass;
  readonly code?: string;
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: {
    state: { enum: states, default: "Parked" },
    ...filters,
    ...pageProperties,
  },
} as const satisfies JSONSchema;

const deadLetterQuery = {
  type: "object",
  additionalProperties: false,
  properties: { ...filters, ...pageProperties },
} as const satisfies JSONSchema;

const groupQuery = {
  type: "object",
  additionalProperties: false,
  properties: filters,
} as const satisfies JSONSchema;

const discarding = {
  title: "Discarding",
  type: "object",
  additionalProperties: false,
  required: ["reason"],
  properties: { reason: { type: "string", minLength: 1, maxLength: 500 } },
} as const satisfies JSONSchema;

const example = {
  failureId: "5f0c2b9a4d8e4c1fb7a6930e12d4c8aa",
  origin: "route",
  state: "Parked",
  classification: "Auth",
  family: "permanent",
  attempts: 1,
  lastError: {
    code: "HTTP_401",
    message: "api.example.com answered 401: the credential is missing, wrong or expired",
    httpStatus: 401,
    at: "2026-11-18T09:30:00.000Z",
  },
  currentStep: "side-effect",
  routeName: "pr-to-board",
  objectType: "pull_request",
  objectId: "acme/site#17",
  correlationId: "3f2b8c0d9e4a4b5c8d7e6f5a4b3c2d1e",
  payloadHash: "c".repeat(64),
  firstFailedAt: "2026-11-18T09:30:00.000Z",
  lastFailedAt: "2026-11-18T09:30:00.000Z",
  mayHaveHappened: false,
  nextAction: "Mend the credential, then replay it.",
};

export const listFailures = endpoint({
  operationId: "list-failures",
  method: "GET",
  path: "v1/failures",
  role: "viewer",
  tag,
  summary: "Lists failures in a state, the newest first",
  query: typed<FailureFilters & PageQuery & { readonly state: FailureState }>(listQuery),
  responses: {
    200: {
      description: "A page of them.",
      schema: pageSchema("FailurePage", failure),
      example: { items: [example] },
    },
  },
});

export const listDeadLetters = endpoint({
  operationId: "list-dead-letters",
  method: "GET",
  path: "v1/dead-letters",
  role: "viewer",
  tag,
  summary: "Lists what waits for a person: parked, in quarantine, or about to be replayed",
  query: typed<FailureFilters & PageQuery>(deadLetterQuery),
  responses: {
    200: {
      description: "A page of them, the newest first.",
      schema: pageSchema("FailurePage", failure),
      example: { items: [example] },
    },
  },
});

export const groupFailures = endpoint({
  operationId: "group-failures",
  method: "GET",
  path: "v1/failures/groups",
  role: "viewer",
  tag,
  summary: "Counts the dead letters by route, code and class",
  description:
    "Parked and in quarantine, the largest group first. It looks at the newest 5,000; `complete` says whether those were " +
    "all.",
  query: typed<FailureFilters>(groupQuery),
  responses: {
    200: {
      description: "The groups.",
      schema: {
        title: "FailureGroups",
        type: "object",
        additionalProperties: false,
        required: ["groups", "complete"],
        properties: { groups: { type: "array", items: group }, complete: { type: "boolean" } },
      },
      example: {
        groups: [
          {
            routeName: "pr-to-board",
            code: "HTTP_401",
            classification: "Auth",
            count: 312,
            oldest: "2026-11-18T08:02:11.000Z",
            newest: "2026-11-18T09:30:00.000Z",
            sampleFailureId: example.failureId,
          },
        ],
        complete: true,
      },
    },
  },
});

export const readFailure = endpoint({
  operationId: "read-failure",
  method: "GET",
  path: "v1/failures/{failureId}",
  role: "viewer",
  tag,
  summary: "Shows all that is known about a failure",
  description: "A viewer sees everything but the event's `data`; operators and administrators see them too.",
  params: { failureId },
  responses: {
    200: {
      description: "The whole record.",
      schema: wholeFailure,
      example: { ...example, workItem: { workId: example.failureId }, envelope: {}, dataWithheld: false },
    },
  },
});

export const discardFailure = endpoint({
  operationId: "discard-failure",
  method: "POST",
  path: "v1/failures/{failureId}/discard",
  role: "operator",
  tag,
  summary: "Lets a dead letter be",
  description:
    "It stays on record and can still be replayed. An object that was frozen because of it is released. What a running " +
    "replay has taken, and what waits for its next attempt, cannot be discarded.",
  params: { failureId },
  body: {
    ...typed<FromSchema<typeof discarding>>(discarding),
    example: { reason: "The order was cancelled by hand." },
  },
  responses: { 200: { description: "It is discarded.", schema: failure, example } },
  faults: ["conflict"],
  audit: { action: "failure.discard", target: "failures/{failureId}", details: ["reason"] },
});
