import { problemContentType } from "../problem.ts";
import type { ResponseSpec } from "./endpoint.ts";

/** RFC 9457, with what Interlock adds to it. */
export const problemSchema = {
  title: "Problem",
  type: "object",
  additionalProperties: false,
  required: ["type", "title", "status", "detail", "code", "remedy", "correlationId"],
  properties: {
    type: { type: "string" },
    title: { type: "string", description: "What is wrong, the same for every problem of this code." },
    status: { type: "integer" },
    detail: { type: "string", description: "What is wrong with this request." },
    code: { type: "string", description: "Stable; docs/faults.md lists them." },
    remedy: { type: "string", description: "What to do." },
    correlationId: { type: "string", description: "Finds the request in the logs." },
    errors: {
      type: "array",
      description: "Each thing that is wrong, and where it stands.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
} as const;

/** For endpoints that name their refusals by status. */
export function problem(description: string): ResponseSpec {
  return { description, schema: problemSchema, contentType: problemContentType };
}
