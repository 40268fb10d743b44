import { reader } from "../json/schema.ts";
import type { Run, Task } from "./run.ts";

const count = { type: "integer", minimum: 0 } as const;

const run = {
  type: "object",
  required: ["tenantId", "replayId", "settings", "phase", "total", "taken", "reached", "returned", "stage"],
  properties: {
    tenantId: { type: "string" },
    replayId: { type: "string" },
    settings: { type: "object", required: ["stages", "stopAboveFailureRatio", "ratePerMinute"] },
    phase: { enum: ["collect", "take", "run", "return", "end"] },
    total: count,
    taken: count,
    reached: count,
    returned: count,
    stage: { type: "object", required: ["index", "reached", "fine", "failed"] },
    counts: { type: "object" },
  },
} as const;

const read = reader<Task>({
  type: "object",
  required: ["run", "from", "to"],
  properties: { run, from: count, to: count },
});

/** Narrows what the task hub gives to a step: it was written by the orchestrator. */
export function readTask(input: unknown): Task {
  return read(input, "The input of a replay's step");
}

const readInput = reader<Run>(run);

export function readRun(input: unknown): Run {
  return readInput(input, "The input of a replay");
}
