import { reader } from "../json/schema.ts";
import type { Collected, Ran } from "./run.ts";

const cancelled = { type: "boolean" } as const;

const collected = reader<Collected>({
  type: "object",
  required: ["found", "more", "cancelled"],
  properties: { found: { type: "integer" }, more: { type: "boolean" }, cancelled, after: { type: "string" } },
});

const ran = reader<Ran>({
  type: "object",
  required: ["counts", "cancelled"],
  properties: { counts: { type: "object" }, cancelled, unfinished: { type: "boolean" } },
});

/** Narrow what a step answered, as the orchestrator finds it in its history. */
export function readCollected(answer: unknown): Collected {
  return collected(answer, "What was collected");
}

export function readRan(answer: unknown): Ran {
  return ran(answer, "What was run");
}
