import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { artifactSchema } from "../../config/artifact.ts";
import { eventStatuses } from "../../ledgers/events.ts";
import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import {
  comment,
  configChange,
  configDiff,
  configHash,
  diagnostics,
  replacedConfig,
  routeConfig,
  storedConfig,
} from "../schemas/config.ts";
import {
  exampleArtifact,
  exampleChange,
  exampleConfig,
  exampleReplaced,
  exampleStored,
} from "../schemas/config-examples.ts";
import { explainedRoute, explainRequest } from "../schemas/explanation.ts";
import { typed, type TypedSchema } from "../typed-schema.ts";

const tag = "Config";
const etag = { etag: "Send it as `If-Match` to change only what you have read." };
const replaced = { schema: replacedConfig, example: exampleReplaced, headers: etag } as const;

const commentQuery = {
  type: "object",
  additionalProperties: false,
  properties: { comment: { ...comment, description: "Why; kept in the history." } },
} as const satisfies JSONSchema;

const versionsQuery = {
  type: "object",
  additionalProperties: false,
  properties: pageProperties,
} as const satisfies JSONSchema;

const rollback = {
  title: "ConfigRollback",
  type: "object",
  additionalProperties: false,
  required: ["hash"],
  properties: { hash: configHash, comment },
} as const satisfies JSONSchema;

/** The document shows the whole form, but what does not have it is for the validation to say, with everything else. */
const anyConfig: TypedSchema<object> = { ...typed<object>({ type: "object" }), schema: routeConfig };

export const readConfig = endpoint({
  operationId: "read-config",
  method: "GET",
  path: "v1/config/routes",
  role: "viewer",
  tag,
  summary: "Shows the configuration that is in place",
  responses: {
    200: { description: "The current version.", schema: storedConfig, example: exampleStored, headers: etag },
  },
  faults: ["not-found"],
});

export const putConfig = endpoint({
  operationId: "put-config",
  method: "PUT",
  path: "v1/config/routes",
  role: "admin",
  tag,
  summary: "Puts a configuration into place",
  description:
    "The whole document, never a part. It is validated first, and refused with everything that is wrong with it. New events " +
    "are routed by it on every host within five seconds; what is under way goes on with the version it was routed by.",
  query: typed<FromSchema<typeof commentQuery>>(commentQuery),
  body: { ...anyConfig, example: exampleConfig },
  takesIfMatch: true,
  responses: { 200: { description: "It is in place. The same again makes no new version.", ...replaced } },
  faults: ["config-invalid"],
  audit: { action: "config.put", target: "config/routes" },
});

export const validateConfig = endpoint({
  operationId: "validate-config",
  method: "POST",
  path: "v1/config/routes/validate",
  role: "viewer",
  tag,
  summary: "Says what a configuration would be answered with, and what it would change",
  body: { ...anyConfig, example: exampleConfig },
  responses: {
    200: {
      description: "Whether it could be put into place.",
      schema: {
        title: "ConfigValidation",
        type: "object",
        additionalProperties: false,
        required: ["valid", "errors", "warnings"],
        properties: {
          valid: { type: "boolean" },
          errors: diagnostics,
          warnings: diagnostics,
          hash: { ...configHash, description: "What it would be called; absent while there are errors." },
          diff: { ...configDiff },
        },
      },
      example: {
        valid: true,
        errors: [],
        warnings: [],
        hash: exampleReplaced.hash,
        diff: exampleReplaced.diff,
      },
    },
  },
  audit: "changes-nothing",
});

export const listConfigVersions = endpoint({
  operationId: "list-config-versions",
  method: "GET",
  path: "v1/config/routes/versions",
  role: "viewer",
  tag,
  summary: "Lists the changes of the configuration, the newest first",
  query: typed<FromSchema<typeof versionsQuery>>(versionsQuery),
  responses: {
    200: {
      description: "Who put what into place, and when.",
      schema: pageSchema("ConfigChangePage", configChange),
      example: { items: [exampleChange] },
    },
  },
});

export const readConfigVersion = endpoint({
  operationId: "read-config-version",
  method: "GET",
  path: "v1/config/routes/versions/{hash}",
  role: "viewer",
  tag,
  summary: "Shows a version of the configuration",
  params: { hash: configHash },
  responses: {
    200: {
      description: "The version; it never changes.",
      schema: {
        title: "ConfigVersion",
        type: "object",
        additionalProperties: false,
        required: ["hash", "config"],
        properties: { hash: configHash, config: routeConfig },
      },
      example: { hash: exampleStored.hash, config: exampleConfig },
    },
  },
});

export const rollbackConfig = endpoint({
  operationId: "rollback-config",
  method: "POST",
  path: "v1/config/routes/rollback",
  role: "admin",
  tag,
  summary: "Puts an earlier version into place again",
  body: {
    ...typed<FromSchema<typeof rollback>>(rollback),
    example: { hash: exampleReplaced.previousHash, comment: "The new route floods the chat" },
  },
  takesIfMatch: true,
  responses: { 200: { description: "It is in place, as a new version.", ...replaced } },
  faults: ["not-found", "config-invalid"],
  audit: { action: "config.rollback", target: "config/routes", details: ["hash", "comment"] },
});

export const exportConfig = endpoint({
  operationId: "export-config",
  method: "GET",
  path: "v1/config/routes/export",
  role: "viewer",
  tag,
  summary: "Answers with the configuration as a file for another environment",
  query: typed<FromSchema<typeof commentQuery>>(commentQuery),
  responses: {
    200: {
      description: "The artifact. It names secrets and holds none.",
      schema: { title: "ConfigArtifact", ...artifactSchema },
      example: exampleArtifact,
      headers: { "content-disposition": "A name for the file." },
    },
  },
  faults: ["not-found"],
});

export const importConfig = endpoint({
  operationId: "import-config",
  method: "POST",
  path: "v1/config/routes/import",
  role: "admin",
  tag,
  summary: "Puts a configuration of another environment into place",
  description:
    "What was exported there, unchanged: its hash is compared with its content. It is validated like any other, " +
    "and the history says where it comes from.",
  query: typed<FromSchema<typeof commentQuery>>(commentQuery),
  body: { ...typed<unknown>({ title: "ConfigArtifact", ...artifactSchema }), example: exampleArtifact },
  takesIfMatch: true,
  responses: { 200: { description: "It is in place.", ...replaced } },
  faults: ["config-invalid", "artifact-altered"],
  audit: { action: "config.import", target: "config/routes", details: ["hash", "environment", "exportedAt"] },
});

export const explainConfig = endpoint({
  operationId: "explain-config",
  method: "POST",
  path: "v1/config/routes/explain",
  role: "operator",
  tag,
  summary: "Says which routes an event would take, which not, and why",
  description:
    "For an event that came in, or for a sample; by the configuration in place, or by one that is sent along. Nothing is " +
    "sent anywhere: `request` is what would be. That the payload of an event was read is in the audit.",
  body: {
    ...typed<FromSchema<typeof explainRequest>>(explainRequest),
    example: {
      sample: {
        subject: "github.events.pull_request.opened",
        data: { pull_request: { title: "A change" } },
      },
    },
  },
  responses: {
    200: {
      description: "Every route, those that would run first.",
      schema: {
        title: "ConfigExplanation",
        type: "object",
        additionalProperties: false,
        required: ["status", "hash", "routes", "missing"],
        properties: {
          status: { enum: eventStatuses },
          hash: { ...configHash, description: "Of the configuration it was explained by." },
          routes: { type: "array", items: explainedRoute },
          missing: {
            type: "array",
            description: "Subscriptions that match and name a route there is not.",
            items: {
              type: "object",
              additionalProperties: false,
              required: ["subscriptionName", "routeName"],
              properties: { subscriptionName: { type: "string" }, routeName: { type: "string" } },
            },
          },
        },
      },
      example: {
        status: "ROUTED",
        hash: exampleReplaced.hash,
        routes: [{ routeName: "PR_TO_CHAT", outcome: "RUNS", unmet: [], filters: [], mode: "queue" }],
        missing: [],
      },
    },
  },
  faults: ["not-found", "config-invalid"],
  audit: "changes-nothing",
});
