import { diagnosticCodes } from "../../config/diagnostic.ts";
import { routeConfigSchema } from "../../config/route-schema.ts";

export const time = { type: "string", format: "date-time" } as const;

export const configHash = {
  type: "string",
  pattern: "^[0-9a-f]{32}$",
  description: "Names a version by what is in it; 32 hex digits.",
} as const;

export const versionNumber = { type: "integer", minimum: 1, description: "Counts the changes." } as const;

export const comment = { type: "string", minLength: 1, maxLength: 1000 } as const;

export const routeConfig = { title: "RouteConfig", ...routeConfigSchema } as const;

export const diagnostics = {
  type: "array",
  items: {
    title: "ConfigDiagnostic",
    type: "object",
    additionalProperties: false,
    required: ["severity", "code", "path", "message"],
    properties: {
      severity: { enum: ["error", "warning"] },
      code: { enum: Object.keys(diagnosticCodes) },
      path: { type: "string", description: "Where in the configuration: `routes[2].endpointKey`." },
      message: { type: "string" },
      suggestion: { type: "string", description: "What to write instead, where that can be told." },
    },
  },
} as const;

const item = {
  type: "object",
  additionalProperties: false,
  required: ["kind", "name"],
  properties: {
    kind: { enum: ["route", "subscription", "endpoint", "retryProfile", "rateProfile", "keyFormula"] },
    name: { type: "string" },
  },
} as const;

export const configDiff = {
  title: "ConfigDiff",
  type: "object",
  additionalProperties: false,
  required: ["added", "removed", "changed"],
  properties: {
    added: { type: "array", items: item },
    removed: { type: "array", items: item },
    changed: {
      type: "array",
      items: {
        ...item,
        required: [...item.required, "fields"],
        properties: {
          ...item.properties,
          fields: {
            type: "array",
            items: {
              type: "object",
              additionalProperties: false,
              required: ["path"],
              properties: {
                path: { type: "string", description: "Within the item: `operation.body.title`." },
                before: { description: "Absent where the field was not there." },
                after: { description: "Absent where the field is gone." },
              },
            },
          },
        },
      },
    },
  },
} as const;

export const replacedConfig = {
  title: "ReplacedConfig",
  type: "object",
  additionalProperties: false,
  required: ["hash", "version", "created", "warnings", "diff"],
  properties: {
    hash: configHash,
    version: versionNumber,
    created: { type: "boolean", description: "False where the same was in place already." },
    previousHash: { ...configHash, description: "What was in place before; absent for the first." },
    warnings: diagnostics,
    diff: { ...configDiff },
  },
} as const;

export const storedConfig = {
  title: "StoredConfig",
  type: "object",
  additionalProperties: false,
  required: ["hash", "version", "config"],
  properties: { hash: configHash, version: versionNumber, config: routeConfig },
} as const;

export const configChange = {
  title: "ConfigChange",
  type: "object",
  additionalProperties: false,
  required: ["version", "hash", "at", "by"],
  properties: {
    version: versionNumber,
    hash: configHash,
    at: time,
    by: { type: "string", description: "Id of the API key." },
    comment: { type: "string" },
    promotedFrom: {
      type: "string",
      description: "Environment and hash of what was taken over: `qa:<hash>`.",
    },
  },
} as const;
