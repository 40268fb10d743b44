import { Ajv } from "ajv";

import { logEvents } from "../../../shared/logging/log-events.ts";
import { logFields } from "../../../shared/logging/log.ts";

const value = { type: ["string", "number", "null"] };

/** What every line of the product's log must be. */
const lineSchema = {
  type: "object",
  additionalProperties: false,
  required: ["timestamp", "env", "scenarioName", "event", "message", "piiRedacted", ...logFields],
  properties: {
    timestamp: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" },
    env: { type: "string", minLength: 1 },
    scenarioName: { type: "string", minLength: 1 },
    event: { enum: Object.keys(logEvents) },
    message: { type: "string", minLength: 1 },
    runbook: { type: "string", minLength: 1 },
    piiRedacted: { const: true },
    ...Object.fromEntries(logFields.map((field) => [field, value])),
  },
};

const isLine = new Ajv({ allowUnionTypes: true }).compile(lineSchema);

/** What is wrong with a line; nothing, when it is as it should be. */
export function lineProblems(text: string): string[] {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return [`is not JSON: ${text.slice(0, 200)}`];
  }
  if (isLine(line)) return [];
  return (isLine.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message} in ${text}`);
}
