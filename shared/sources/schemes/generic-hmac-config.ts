import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { isRecord } from "../field.ts";

const header = { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" } as const;

/** How a sender that no scheme of its own describes signs its webhooks. */
export const genericHmacConfigSchema = {
  type: "object",
  additionalProperties: false,
  required: ["header"],
  properties: {
    /** Carries the signature. */
    header,
    algorithm: { enum: ["sha256", "sha512", "sha1"], default: "sha256" },
    encoding: { enum: ["hex", "base64"], default: "hex" },
    /** What stands before the signature in the header, such as `sha256=`. */
    prefix: { type: "string", maxLength: 64, default: "" },
    timestamp: {
      type: "object",
      additionalProperties: false,
      required: ["header"],
      properties: {
        /** Carries the time, as unix seconds or milliseconds. */
        header,
        toleranceSeconds: { type: "integer", minimum: 1, maximum: 86400, default: 300 },
        /** The signed text. The timestamp must be part of it: otherwise it would be anybody's to change. */
        template: {
          type: "string",
          maxLength: 256,
          pattern: "^(?=[^]*\\{timestamp\\})(?:(?!\\{body\\})[^])*\\{body\\}(?:(?!\\{body\\})[^])*$",
          default: "{timestamp}.{body}",
        },
      },
    },
  },
} as const satisfies JSONSchema;

export type GenericHmacConfig = FromSchema<
  typeof genericHmacConfigSchema,
  { keepDefaultedPropertiesOptional: true }
>;

/** A connection's settings were checked when it was made; this only refuses to guess when they were not. */
export function readGenericHmacConfig(value: unknown): GenericHmacConfig {
  if (!isGenericHmacConfig(value)) {
    throw new TypeError("The settings of the scheme 'generic-hmac' do not follow its schema.");
  }
  return value;
}

const { algorithm, encoding, timestamp } = genericHmacConfigSchema.properties;
const template = new RegExp(timestamp.properties.template.pattern);

function isGenericHmacConfig(value: unknown): value is GenericHmacConfig {
  return (
    isRecord(value) &&
    isText(value["header"]) &&
    isOneOf(value["algorithm"], algorithm.enum) &&
    isOneOf(value["encoding"], encoding.enum) &&
    isOptional(value["prefix"], (prefix) => typeof prefix === "string") &&
    isOptional(
      value["timestamp"],
      (time) =>
        isRecord(time) &&
        isText(time["header"]) &&
        isOptional(time["toleranceSeconds"], (seconds) => typeof seconds === "number" && seconds > 0) &&
        isOptional(time["template"], (text) => typeof text === "string" && template.test(text)),
    )
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  return value === undefined || allowed.includes(value);
}

function isOptional(value: unknown, holds: (value: unknown) => boolean): boolean {
  return value === undefined || holds(value);
}
