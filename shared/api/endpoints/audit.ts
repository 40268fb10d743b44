import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { roles } from "../../ledgers/api-keys.ts";
import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { typed } from "../typed-schema.ts";

const tag = "Audit";
const hash = { type: "string", pattern: "^[0-9a-f]{64}$", description: "64 hex digits." } as const;
const seq = { type: "integer", minimum: 1, maximum: 999_999_999 } as const;

const entry = {
  title: "AuditEntry",
  type: "object",
  additionalProperties: false,
  required: [
    "seq",
    "at",
    "actor",
    "role",
    "action",
    "target",
    "phase",
    "correlationId",
    "details",
    "prevHash",
    "hash",
  ],
  properties: {
    seq: { type: "integer", description: "From 1, without gaps." },
    at: { type: "string", format: "date-time" },
    actor: { type: "string", description: "Id of the API key." },
    role: { enum: [...roles, "none"] },
    action: { type: "string" },
    target: { type: "string" },
    phase: {
      enum: ["intent", "done", "failed"],
      description: "`intent` is written before the change is made, the others after it.",
    },
    correlationId: { type: "string", description: "The same for the intent and its outcome." },
    details: { type: "object", description: "What the change said, without secrets." },
    prevHash: hash,
    hash: { ...hash, description: "Over everything in the entry, the hash of the one before included." },
  },
} as const;

const example = {
  seq: 2,
  at: "2026-11-18T09:30:00.120Z",
  actor: "0123456789abcdef",
  role: "admin",
  action: "connection.create",
  target: "connections/3f2b8c0d9e4a4b5c8d7e6f5a4b3c2d1e",
  phase: "done",
  correlationId: "6f9f3b1c-6d0f-4a57-9d5a-3c1f5f0e2b11",
  details: {},
  prevHash: "a".repeat(64),
  hash: "b".repeat(64),
};

const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: pageProperties,
} as const satisfies JSONSchema;

const verifyQuery = {
  type: "object",
  additionalProperties: false,
  properties: {
    anchorSeq: {
      ...seq,
      description: "Number of an entry whose hash was noted earlier, outside of Interlock.",
    },
    anchorHash: { ...hash, description: "The hash it had then." },
    cursor: pageProperties.cursor,
  },
} as const satisfies JSONSchema;

export const listAudit = endpoint({
  operationId: "list-audit",
  method: "GET",
  path: "v1/audit",
  role: "admin",
  tag,
  summary: "Lists what was changed and by whom, the newest first",
  query: typed<FromSchema<typeof listQuery>>(listQuery),
  responses: {
    200: {
      description: "A page of the tenant's audit.",
      schema: pageSchema("AuditPage", entry),
      example: { items: [example] },
    },
  },
});

export const verifyAudit = endpoint({
  operationId: "verify-audit",
  method: "GET",
  path: "v1/audit/verify",
  role: "admin",
  tag,
  summary: "Checks that the audit is whole and unchanged",
  description:
    "Follows the chain of hashes from the newest entry to the first, some thousand entries in one call: ask again with " +
    "`nextCursor` until there is none. Who can write to the store could make a whole new chain; to notice that, note " +
    "`head` elsewhere from time to time, and pass it as `anchorSeq` and `anchorHash` later.",
  query: typed<FromSchema<typeof verifyQuery>>(verifyQuery),
  responses: {
    200: {
      description: "Whether it is, or where it breaks.",
      schema: {
        title: "AuditVerdict",
        type: "object",
        additionalProperties: false,
        required: ["ok", "checked"],
        properties: {
          ok: { type: "boolean" },
          checked: { type: "integer", description: "Entries looked at by this call." },
          head: {
            type: "object",
            additionalProperties: false,
            required: ["seq", "hash"],
            description: "The newest entry; absent while there is none, and in later pages.",
            properties: { seq: { type: "integer" }, hash },
          },
          break: {
            type: "object",
            additionalProperties: false,
            required: ["seq", "reason"],
            properties: {
              seq: {
                type: "integer",
                description: "Number of the newest entry that is not as it was written.",
              },
              reason: { enum: ["entry-missing", "entry-changed", "link-broken", "anchor-differs"] },
            },
          },
          nextCursor: { type: "string" },
        },
      },
      example: { ok: true, checked: 2, head: { seq: 2, hash: "b".repeat(64) } },
    },
  },
});
