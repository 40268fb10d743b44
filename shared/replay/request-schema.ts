import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { pageProperties } from "../api/page.ts";
import { replayableStates, replayDefaults } from "./selector.ts";

const time = { type: "string", format: "date-time" } as const;
const hexId = { type: "string", pattern: "^[0-9a-f]{32}$", description: "32 hex digits." } as const;
const name = { type: "string", minLength: 1, maxLength: 100 } as const;

/** The most a replay may be about, and the most that may be named one by one. */
const mostItems = 10_000;
const mostIds = 1000;

const failureSelector = {
  type: "object",
  additionalProperties: false,
  properties: {
    state: {
      enum: replayableStates,
      description: "Without it those that are parked and those in quarantine.",
    },
    routeName: name,
    classification: { enum: ["Transient", "RateLimited", "Auth", "Validation", "Poison"] },
    code: name,
    from: { ...time, description: "Of the last failed attempt." },
    to: time,
  },
} as const;

const eventSelector = {
  type: "object",
  additionalProperties: false,
  properties: {
    from: {
      ...time,
      description: "Of receipt; at most 31 days back from `to`. Needed unless ids are given.",
    },
    to: { ...time, description: "Without it until now." },
    sourceSystem: name,
    connectionId: hexId,
    subject: {
      type: "string",
      minLength: 1,
      maxLength: 200,
      description: "A pattern, as routes have it: `github.events.*.opened`, `github.#`.",
    },
    eventIds: {
      type: "array",
      minItems: 1,
      maxItems: mostIds,
      items: hexId,
      description: "Instead of time and kind. They are done in the order they are named.",
    },
    routeName: { ...name, description: "Only the work of this route; the others are left alone." },
  },
} as const;

/** What a person asks for; `read-request.ts` checks what a schema cannot say. */
export const newReplay = {
  title: "NewReplay",
  type: "object",
  additionalProperties: false,
  properties: {
    failureIds: { type: "array", minItems: 1, maxItems: mostIds, items: hexId },
    failures: failureSelector,
    events: eventSelector,
    dryRun: { type: "boolean", description: "Default: true. Only `false` does anything." },
    config: {
      enum: ["current", "pinned"],
      description:
        "By which configuration failures are done: the current one (default; a mended configuration is why one replays), or " +
        "the one they failed with. Events are always routed by the current one.",
    },
    ratePerMinute: {
      type: "integer",
      minimum: 1,
      maximum: 6000,
      description: `At most so many items a minute. Default: ${replayDefaults.ratePerMinute}.`,
    },
    stages: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: { type: "integer", minimum: 1, maximum: mostItems },
      description: `How many items each stage has; the last size repeats. Default: ${replayDefaults.stages.join(", ")}.`,
    },
    stopAboveFailureRatio: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: `Stops when more than this part of a stage fails. Default: ${replayDefaults.stopAboveFailureRatio}.`,
    },
    maxItems: {
      type: "integer",
      minimum: 1,
      maximum: mostItems,
      description: `The newest so many of what matches. Default: ${replayDefaults.maxItems}.`,
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: 200,
      description: "Of a dry run: items in a page. Default: 100.",
    },
    cursor: { ...pageProperties.cursor, description: "Of a dry run: `nextCursor` of the page before." },
  },
} as const satisfies JSONSchema;

export type NewReplay = FromSchema<typeof newReplay>;
