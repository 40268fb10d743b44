import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { typed } from "../typed-schema.ts";

const tag = "Secrets";
const time = { type: "string", format: "date-time" } as const;

/** As routes name them. */
const name = {
  type: "string",
  pattern: "^[A-Za-z][A-Za-z0-9._-]{0,62}$",
  description: "A letter, then at most 62 letters, digits, dots, dashes and underscores.",
} as const;

const tenantSecret = {
  title: "Secret",
  type: "object",
  additionalProperties: false,
  required: ["name", "createdAt", "updatedAt"],
  properties: { name, createdAt: time, updatedAt: time },
} as const;

const secretValue = {
  title: "SecretValue",
  type: "object",
  additionalProperties: false,
  required: ["value"],
  properties: { value: { type: "string", minLength: 1, maxLength: 8192 } },
} as const satisfies JSONSchema;

const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: pageProperties,
} as const satisfies JSONSchema;

const example = {
  name: "tracker-token",
  createdAt: "2026-11-18T09:30:00.000Z",
  updatedAt: "2026-11-18T09:30:00.000Z",
};

export const putSecret = endpoint({
  operationId: "put-secret",
  method: "PUT",
  path: "v1/secrets/{name}",
  role: "admin",
  tag,
  summary: "Stores a secret that routes can name",
  description: "It goes to Key Vault and is never shown again. Hosts use the new value within a minute.",
  params: { name },
  body: { ...typed<FromSchema<typeof secretValue>>(secretValue), example: { value: "the token" } },
  responses: { 200: { description: "It is stored.", schema: tenantSecret, example } },
  faults: ["conflict"],
  audit: { action: "secret.put", target: "secrets/{name}" },
});

export const listSecrets = endpoint({
  operationId: "list-secrets",
  method: "GET",
  path: "v1/secrets",
  role: "operator",
  tag,
  summary: "Lists the names of the tenant's secrets",
  query: typed<FromSchema<typeof listQuery>>(listQuery),
  responses: {
    200: {
      description: "A page of names, without values.",
      schema: pageSchema("SecretPage", tenantSecret),
      example: { items: [example] },
    },
  },
});

export const deleteSecret = endpoint({
  operationId: "delete-secret",
  method: "DELETE",
  path: "v1/secrets/{name}",
  role: "admin",
  tag,
  summary: "Removes a secret",
  description: "Routes that name it fail as unauthorised from then on, within a minute.",
  params: { name },
  responses: { 204: { description: "It is gone." } },
  audit: { action: "secret.delete", target: "secrets/{name}" },
});
