import { outcomeNames, outcomes } from "./outcomes.ts";
import { replayMachine } from "./states.ts";
import { verdictNames, verdicts } from "./verdicts.ts";

const time = { type: "string", format: "date-time" } as const;

export const replayId = {
  type: "string",
  pattern: "^[0-9]{14}-[0-9a-f]{16}$",
  description: "As the replay's start has answered it.",
} as const;

const saying = (table: Readonly<Record<string, { readonly says: string }>>): string =>
  Object.entries(table)
    .map(([each, { says }]) => `\`${each}\`: ${says}`)
    .join(" ");

const request = {
  title: "ReplayRequest",
  type: "object",
  additionalProperties: false,
  required: ["method", "url", "headers"],
  properties: {
    method: { type: "string" },
    url: { type: "string" },
    headers: { type: "object", additionalProperties: { type: "string" } },
    body: { type: "string", description: "Its beginning, where it is long." },
    bodyLength: { type: "integer", description: "Of the whole body, where only its beginning is shown." },
  },
} as const;

const judgedWork = {
  title: "JudgedWork",
  type: "object",
  additionalProperties: false,
  required: ["workId", "routeName", "attempt", "verdict", "detail"],
  properties: {
    workId: { type: "string" },
    routeName: { type: "string" },
    attempt: { type: "integer", description: "Which attempt it would be." },
    verdict: { enum: verdictNames },
    detail: { type: "string" },
    request: { ...request, description: "What would be sent. Credentials are named, not shown." },
    changes: {
      type: "array",
      description:
        "What differs from the request by the configuration it failed with; only where that is another one.",
      items: {
        title: "FieldChange",
        type: "object",
        additionalProperties: false,
        required: ["path"],
        properties: {
          path: { type: "string", description: "`url`, `headers.content-type`, `body.customer.name`." },
          before: { type: "string" },
          after: { type: "string" },
        },
      },
    },
    done: {
      type: "object",
      additionalProperties: false,
      required: ["sideEffectRef"],
      description: "What the ledger has, where it was done before.",
      properties: { sideEffectRef: { type: "string" }, at: time },
    },
  },
} as const;

export const dryRun = {
  title: "DryRun",
  type: "object",
  additionalProperties: false,
  required: ["dryRun", "items", "summary", "more"],
  properties: {
    dryRun: { const: true },
    items: {
      type: "array",
      items: {
        title: "JudgedItem",
        type: "object",
        additionalProperties: false,
        required: ["verdict", "detail", "works"],
        properties: {
          failureId: { type: "string" },
          state: { type: "string", description: "Of the failure." },
          eventId: { type: "string" },
          correlationId: { type: "string" },
          subject: { type: "string" },
          objectType: { type: "string" },
          objectId: { type: "string" },
          verdict: { enum: verdictNames, description: saying(verdicts) },
          detail: { type: "string" },
          works: { type: "array", description: "One for each route it means.", items: judgedWork },
        },
      },
    },
    summary: {
      type: "object",
      description: "How many of these items there are of each verdict.",
      additionalProperties: { type: "integer" },
    },
    more: {
      type: "boolean",
      description: "Whether more match than were looked at; `nextCursor` leads to them.",
    },
    nextCursor: { type: "string" },
  },
} as const;

export const replay = {
  title: "Replay",
  type: "object",
  additionalProperties: false,
  required: [
    "replayId",
    "state",
    "means",
    "selector",
    "config",
    "ratePerMinute",
    "stages",
    "stopAboveFailureRatio",
    "maxItems",
    "createdAt",
    "startedBy",
    "total",
    "more",
    "stage",
    "reached",
    "fine",
    "failed",
    "counts",
  ],
  properties: {
    replayId,
    state: { enum: Object.keys(replayMachine.states) },
    means: { type: "string", description: "The state in words." },
    selector: { type: "object", description: "What it is about; of many ids the first 50." },
    config: { type: "string" },
    ratePerMinute: { type: "integer" },
    stages: { type: "array", items: { type: "integer" } },
    stopAboveFailureRatio: { type: "number" },
    maxItems: { type: "integer" },
    createdAt: time,
    startedBy: { type: "string", description: "Id of the API key." },
    cancelledBy: { type: "string", description: "Id of the API key." },
    finishedAt: time,
    reason: { type: "string", description: "Why it stopped." },
    total: { type: "integer", description: "Items found; it grows while the replay begins." },
    more: { type: "boolean", description: "Whether more matched than `maxItems`." },
    stage: { type: "integer", description: "From 1; 0 while items are still being found." },
    reached: { type: "integer", description: "Items dealt with." },
    fine: { type: "integer" },
    failed: { type: "integer" },
    counts: {
      type: "object",
      description: `Items by outcome. ${saying(outcomes)}`,
      additionalProperties: { type: "integer" },
    },
  },
} as const;

export const replayItem = {
  title: "ReplayItem",
  type: "object",
  additionalProperties: false,
  required: ["outcome", "detail"],
  properties: {
    failureId: { type: "string" },
    eventId: { type: "string" },
    correlationId: { type: "string" },
    outcome: { enum: [...outcomeNames, "not-reached"] },
    verdict: { enum: verdictNames, description: "Why it was skipped." },
    detail: { type: "string" },
    doneAt: time,
    works: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["workId", "routeName", "outcome"],
        properties: {
          workId: { type: "string" },
          routeName: { type: "string" },
          outcome: { enum: outcomeNames },
        },
      },
    },
  },
} as const;
