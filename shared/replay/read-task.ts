import { reader } from "../json/schema.ts";
import type { Run, Task } from "./run.ts";

const count = { type: "integer", minimum: 0 } as const;
const text = { type: "string" } as const;

const run = {
  type: "object",
  required: ["tenantId", "replayId", "settings", "phase", "total", "taken", "reached", "returned", "stage"],
  properties: {
    tenantId: text,
    replayId: text,
    settings: {
      type: "object",
      required: ["stages", "stopAboveFailureRatio", "ratePerMinute"],
      properties: {
        stages: { type: "array", items: count },
        stopAboveFailureRatio: { type: "number" },
        ratePerMinute: count,
      },
    },
    phase: { enum: ["collect", "take", "run", "return", "end"] },
    total: count,
    more: { type: "boolean" },
    after: text,
    taken: count,
    reached: count,
    returned: count,
    stage: {
      type: "object",
      required: ["index", "reached", "fine", "failed"],
      properties: { index: count, reached: count, fine: count, failed: count },
    },
    counts: { type: "object", additionalProperties: count },
  },
} as const;

const readOne = reader<Run>(run);

/** Narrow what the task hub gives to the orchestrator and its steps: they wrote it themselves. */
export function readRun(input: unknown): Run {
  return readOne(input, "The input of a replay");
}

const readNext = reader<Task>({
  type: "object",
  required: ["run", "from", "to"],
  properties: { run, from: count, to: count },
});

export function readTask(input: unknown): Task {
  return readNext(input, "The input of a replay's step");
}
