import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { largestBody, patterns, unmatchedPolicies } from "../../connections/connection.ts";
import { schemes } from "../../sources/schemes.ts";
import { sources } from "../../sources/sources.ts";
import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { typed } from "../typed-schema.ts";

const tag = "Connections";
const time = { type: "string", format: "date-time" } as const;
const id = { type: "string", pattern: "^[0-9a-f]{32}$", description: "32 hex digits." } as const;
const version = {
  type: "string",
  pattern: "^[0-9a-f]{32}$",
  description: "A version of the vault's secret.",
} as const;

const rateLimit = {
  type: "object",
  additionalProperties: false,
  required: ["maxEventsPerMinute", "burstAllowance", "backoffOnLimit"],
  properties: {
    maxEventsPerMinute: { type: "integer", minimum: 1, maximum: 100_000 },
    burstAllowance: { type: "integer", minimum: 0, maximum: 100_000 },
    backoffOnLimit: { type: "boolean", description: "Whether each refusal makes the next wait longer." },
  },
} as const;

/** What a caller can say about a connection at any time. */
const settings = {
  name: { type: "string", minLength: 1, maxLength: 100 },
  schemeConfig: { type: "object", description: "What the scheme needs; docs/api.md has it for each." },
  normaliserConfig: { type: "object", description: "What the source needs; docs/api.md has it for each." },
  pattern: {
    enum: patterns,
    description:
      "`specific`: the ingest names each event's subject. `generic`: a dispatcher behind the bus does.",
  },
  onUnmatched: { enum: unmatchedPolicies, description: "What becomes of an event that no route matches." },
  allowedIps: {
    type: "array",
    maxItems: 200,
    items: { type: "string", maxLength: 64 },
    description: "Addresses and CIDR blocks that may send, v4 and v6; empty: every one.",
  },
  rateLimit,
  maxBodyBytes: { type: "integer", minimum: 1, maximum: largestBody },
  enabled: { type: "boolean" },
} as const;

/** Key Vault takes 25 KB; no sender's secret comes near that. */
const secret = { type: "string", minLength: 1, maxLength: 4096 } as const;

const newConnection = {
  title: "NewConnection",
  type: "object",
  additionalProperties: false,
  required: ["name", "source"],
  properties: {
    source: { enum: Object.keys(sources), description: "The system that sends." },
    scheme: { enum: Object.keys(schemes), description: "How it signs. Default: as the source usually does." },
    secret: {
      ...secret,
      description: "The webhook secret; one is made up when there is none, and answered once.",
    },
    ...settings,
  },
} as const satisfies JSONSchema;

const connectionPatch = {
  title: "ConnectionPatch",
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  properties: {
    ...settings,
    rateLimit: { ...rateLimit, type: ["object", "null"], description: "null takes the limit away." },
  },
} as const satisfies JSONSchema;

const newSecret = {
  title: "NewConnectionSecret",
  type: "object",
  additionalProperties: false,
  properties: { secret: { ...secret, description: "One is made up when there is none." } },
} as const satisfies JSONSchema;

const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: pageProperties,
} as const satisfies JSONSchema;

const connection = {
  title: "Connection",
  type: "object",
  additionalProperties: false,
  required: [
    "connectionId",
    "name",
    "source",
    "scheme",
    "pattern",
    "onUnmatched",
    "allowedIps",
    "maxBodyBytes",
    "enabled",
    "secretVersions",
    "createdAt",
    "updatedAt",
    "hookUrl",
  ],
  properties: {
    connectionId: id,
    source: { type: "string" },
    scheme: { type: "string" },
    ...settings,
    secretVersions: {
      type: "array",
      items: version,
      description: "Of the secrets that count, the oldest first.",
    },
    createdAt: time,
    updatedAt: time,
    deletedAt: { ...time, description: "Its hook is gone for good." },
    hookUrl: { type: "string", description: "Where the source sends its webhooks." },
  },
} as const;

const withSecret = {
  ...connection,
  title: "ConnectionWithSecret",
  properties: {
    ...connection.properties,
    secret: { type: "string", description: "Where one was made up. It is not shown again." },
    version: { ...version, description: "Of the secret that was added." },
  },
} as const;

const example = {
  connectionId: "3f2b8c0d9e4a4b5c8d7e6f5a4b3c2d1e",
  name: "Our repositories",
  source: "github",
  scheme: "github",
  pattern: "specific",
  onUnmatched: "ignore",
  allowedIps: [],
  maxBodyBytes: largestBody,
  enabled: true,
  secretVersions: ["0123456789abcdef0123456789abcdef"],
  createdAt: "2026-11-18T09:30:00.000Z",
  updatedAt: "2026-11-18T09:30:00.000Z",
  hookUrl: "https://interlock.example/api/hooks/3f2b8c0d9e4a4b5c8d7e6f5a4b3c2d1e",
};

const etag = { etag: "Send it as `If-Match` to change only what you have read." };
const params = { connectionId: id };

export const createConnection = endpoint({
  operationId: "create-connection",
  method: "POST",
  path: "v1/connections",
  role: "admin",
  tag,
  summary: "Makes a connection to a source, with an address for its webhooks",
  body: {
    ...typed<FromSchema<typeof newConnection>>(newConnection),
    example: { name: "Our repositories", source: "github", secret: "a secret that GitHub has as well" },
  },
  responses: { 201: { description: "The connection.", schema: withSecret, example, headers: etag } },
  audit: {
    action: "connection.create",
    target: "connections/{connectionId}",
    details: ["name", "source", "scheme", "pattern", "onUnmatched", "allowedIps", "rateLimit", "enabled"],
  },
});

export const listConnections = endpoint({
  operationId: "list-connections",
  method: "GET",
  path: "v1/connections",
  role: "viewer",
  tag,
  summary: "Lists the tenant's connections",
  query: typed<FromSchema<typeof listQuery>>(listQuery),
  responses: {
    200: {
      description: "A page of them, without those that were deleted.",
      schema: pageSchema("ConnectionPage", connection),
      example: { items: [example] },
    },
  },
});

export const readConnection = endpoint({
  operationId: "read-connection",
  method: "GET",
  path: "v1/connections/{connectionId}",
  role: "viewer",
  tag,
  summary: "Shows a connection",
  params,
  responses: { 200: { description: "The connection.", schema: connection, example, headers: etag } },
});

export const changeConnection = endpoint({
  operationId: "change-connection",
  method: "PATCH",
  path: "v1/connections/{connectionId}",
  role: "admin",
  tag,
  summary: "Changes a connection",
  description: "Only what is named changes. Hosts see it within five seconds.",
  params,
  takesIfMatch: true,
  body: {
    ...typed<FromSchema<typeof connectionPatch>>(connectionPatch),
    example: { enabled: false },
    contentTypes: ["application/json", "application/merge-patch+json"],
  },
  responses: { 200: { description: "As it is now.", schema: connection, example, headers: etag } },
  faults: ["conflict"],
  audit: {
    action: "connection.change",
    target: "connections/{connectionId}",
    details: ["name", "pattern", "onUnmatched", "allowedIps", "rateLimit", "maxBodyBytes", "enabled"],
  },
});

export const deleteConnection = endpoint({
  operationId: "delete-connection",
  method: "DELETE",
  path: "v1/connections/{connectionId}",
  role: "admin",
  tag,
  summary: "Takes a connection out of use for good",
  description: "Its hook and its secrets are removed; the record stays, for the events that name it.",
  params,
  responses: { 204: { description: "It is deleted." } },
  faults: ["conflict"],
  audit: { action: "connection.delete", target: "connections/{connectionId}" },
});

export const addConnectionSecret = endpoint({
  operationId: "add-connection-secret",
  method: "POST",
  path: "v1/connections/{connectionId}/secrets",
  role: "admin",
  tag,
  summary: "Adds a second webhook secret",
  description:
    "To replace a secret: add the new one, give it to the source, and remove the old one when nothing arrives with it " +
    "any more. Webhooks signed with either are taken meanwhile.",
  params,
  body: { ...typed<FromSchema<typeof newSecret>>(newSecret), example: {} },
  responses: {
    201: {
      description: "The connection, the version, and the secret where one was made up.",
      schema: withSecret,
      example: { ...example, version: "0123456789abcdef0123456789abcdef" },
    },
  },
  faults: ["conflict"],
  audit: { action: "connection.add-secret", target: "connections/{connectionId}/secrets/{version}" },
});

export const removeConnectionSecret = endpoint({
  operationId: "remove-connection-secret",
  method: "DELETE",
  path: "v1/connections/{connectionId}/secrets/{version}",
  role: "admin",
  tag,
  summary: "Removes a webhook secret",
  description: "Never the last one: a connection without a secret would refuse every webhook.",
  params: { connectionId: id, version },
  responses: { 204: { description: "What is signed with it is refused from now on." } },
  faults: ["conflict"],
  audit: { action: "connection.remove-secret", target: "connections/{connectionId}/secrets/{version}" },
});
