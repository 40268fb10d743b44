import { badParameter } from "./errors.ts";
import type { SecretProperties } from "./secret.ts";

const longestName = 127;
const namePattern = new RegExp(`^[0-9a-zA-Z-]{1,${longestName}}$`);
const largestValueBytes = 25_600;
const longestContentType = 255;
const mostTags = 15;
const longestTag = 256;

export function checkName(name: string): string {
  if (namePattern.test(name)) return name;
  throw badParameter(
    `The request URI contains an invalid name: a secret's name has 1 to ${longestName} letters, digits and dashes.`,
  );
}

export function readSetBody(body: unknown): { value: string; properties: SecretProperties } {
  const fields = asRecord("request body", body);
  const { value } = fields;
  if (typeof value !== "string") throw badParameter("Property 'value' must be a string.");
  if (Buffer.byteLength(value) > largestValueBytes) {
    throw badParameter(`Property 'value' is larger than the limit of ${largestValueBytes} bytes.`);
  }
  return { value, properties: { enabled: true, ...propertiesOf(fields) } };
}

/** What the caller left out, or sent as null, stays as it is; tags are replaced as a whole. */
export function readUpdateBody(body: unknown): Partial<SecretProperties> {
  return propertiesOf(asRecord("request body", body));
}

function propertiesOf(fields: Readonly<Record<string, unknown>>): Partial<SecretProperties> {
  const attributes = asRecord("attributes", fields["attributes"] ?? {});
  const enabled = attributes["enabled"] ?? undefined;
  const notBefore = wholeSeconds("nbf", attributes["nbf"]);
  const expires = wholeSeconds("exp", attributes["exp"]);
  const contentType = fields["contentType"] ?? undefined;
  const tags = tagsOf(fields["tags"]);
  if (enabled !== undefined && typeof enabled !== "boolean") {
    throw badParameter("Property 'enabled' must be true or false.");
  }
  if (contentType !== undefined && !isText(contentType, longestContentType)) {
    throw badParameter(
      `Property 'contentType' must be a string of at most ${longestContentType} characters.`,
    );
  }
  return {
    ...(enabled !== undefined && { enabled }),
    ...(notBefore !== undefined && { notBefore }),
    ...(expires !== undefined && { expires }),
    ...(contentType !== undefined && { contentType }),
    ...(tags !== undefined && { tags }),
  };
}

function wholeSeconds(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw badParameter(`Property '${name}' must be a time in whole seconds since 1970.`);
}

function tagsOf(value: unknown): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  const tags = Object.entries(asRecord("tags", value));
  if (tags.length > mostTags) throw badParameter(`A secret has at most ${mostTags} tags.`);
  return Object.fromEntries(
    tags.map(([name, text]) => {
      if (isText(name, longestTag) && isText(text, longestTag)) return [name, text];
      throw badParameter(`A tag's name and value are strings of at most ${longestTag} characters.`);
    }),
  );
}

const isText = (value: unknown, longest: number): value is string =>
  typeof value === "string" && value.length <= longest;

function asRecord(what: string, value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw badParameter(`The ${what} must be a JSON object.`);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
