import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { roles } from "../../ledgers/api-keys.ts";
import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { typed } from "../typed-schema.ts";

const tag = "Access";
const time = { type: "string", format: "date-time" } as const;

const keyIdSchema = {
  type: "string",
  pattern: "^[0-9a-f]{16}$",
  description: "16 hex digits.",
} as const;

const apiKey = {
  title: "ApiKey",
  type: "object",
  additionalProperties: false,
  required: ["keyId", "role", "createdAt", "disabled"],
  properties: {
    keyId: keyIdSchema,
    name: { type: "string" },
    role: { enum: roles },
    createdAt: time,
    expiresAt: time,
    disabled: { type: "boolean" },
  },
} as const;

const newKey = {
  title: "NewApiKey",
  type: "object",
  additionalProperties: false,
  required: ["name", "role"],
  properties: {
    name: { type: "string", minLength: 1, maxLength: 100, description: "Whose key it is, or what for." },
    role: { enum: roles, description: "Each role may do what the ones before it may." },
    expiresAt: { ...time, description: "At most ten years from now; without it the key does not expire." },
  },
} as const satisfies JSONSchema;

const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: pageProperties,
} as const satisfies JSONSchema;

const example = {
  keyId: "0123456789abcdef",
  name: "Deployment pipeline",
  role: "operator",
  createdAt: "2026-11-18T09:30:00.000Z",
  disabled: false,
};

export const createApiKey = endpoint({
  operationId: "create-api-key",
  method: "POST",
  path: "v1/api-keys",
  role: "admin",
  tag,
  summary: "Issues an API key",
  description: "The key itself is in this answer and nowhere else: only a hash of it is kept.",
  body: {
    ...typed<FromSchema<typeof newKey>>(newKey),
    example: { name: "Deployment pipeline", role: "operator" },
  },
  responses: {
    201: {
      description: "The key.",
      schema: {
        ...apiKey,
        title: "IssuedApiKey",
        required: [...apiKey.required, "apiKey"],
        properties: { ...apiKey.properties, apiKey: { type: "string", description: "Shown this once." } },
      },
      example: { ...example, apiKey: "ilk_0123456789abcdef_<43 characters>" },
    },
  },
  audit: { action: "api-key.create", target: "api-keys/{keyId}", details: ["name", "role", "expiresAt"] },
});

export const listApiKeys = endpoint({
  operationId: "list-api-keys",
  method: "GET",
  path: "v1/api-keys",
  role: "admin",
  tag,
  summary: "Lists the tenant's API keys",
  query: typed<FromSchema<typeof listQuery>>(listQuery),
  responses: {
    200: {
      description: "A page of them, the disabled ones included.",
      schema: pageSchema("ApiKeyPage", apiKey),
      example: { items: [example] },
    },
  },
});

export const disableApiKey = endpoint({
  operationId: "disable-api-key",
  method: "DELETE",
  path: "v1/api-keys/{keyId}",
  role: "admin",
  tag,
  summary: "Disables an API key",
  description:
    "For good, and on every host within five seconds. The last key of an administrator that does not expire cannot be " +
    "disabled, since nobody could get in any more.",
  params: { keyId: keyIdSchema },
  responses: { 204: { description: "It is disabled." } },
  faults: ["conflict"],
  audit: { action: "api-key.disable", target: "api-keys/{keyId}" },
});
