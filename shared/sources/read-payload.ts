import { excessOf } from "./json-limits.ts";
import { PayloadProblem, type Webhook } from "./source.ts";

/** More fields than any form has: what lies beyond is meant to cost memory. */
const mostFormFields = 1000;

/** The body is in a format no source uses: answered with 415. */
export class UnsupportedContentType extends Error {
  override readonly name = "UnsupportedContentType";
}

/**
 * The payload as data. JSON, or a form that holds it in a field `payload` as GitHub and Slack send it, or a form that
 * is the payload. A body that does not say what it is may be JSON. Messages never quote the body.
 */
export function readPayload({ headers, body }: Webhook): unknown {
  const encoding = headers.get("content-encoding");
  if (encoding && encoding.toLowerCase() !== "identity") {
    throw new UnsupportedContentType("The body is compressed; send it as it is.");
  }
  const { type, charset } = parseContentType(headers.get("content-type") ?? "");
  if (charset !== undefined && !["utf-8", "utf8", "us-ascii"].includes(charset)) {
    throw new UnsupportedContentType("The body must be UTF-8.");
  }
  if (type === "" || isJson(type)) return parseJson(body, "body");
  if (type === "application/x-www-form-urlencoded") return parseForm(decode(body));
  const accepted = "'application/json' or 'application/x-www-form-urlencoded'";
  throw new UnsupportedContentType(`The content type is '${type.slice(0, 100)}'; send ${accepted}.`);
}

function isJson(type: string): boolean {
  return type === "application/json" || /^[\w.-]+\/[\w.-]+\+json$/.test(type);
}

function parseContentType(header: string): { readonly type: string; readonly charset: string | undefined } {
  const [type = "", ...parameters] = header
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  return { type, charset: charset?.slice("charset=".length).replaceAll('"', "") };
}

function parseJson(bytes: Uint8Array, field: string): unknown {
  const excess = excessOf(bytes);
  if (excess !== undefined) throw new PayloadProblem(field, `The ${field} cannot be read. ${excess}`);
  const text = decode(bytes);
  if (text.trim() === "") throw new PayloadProblem(field, `The ${field} is empty.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PayloadProblem(field, `The ${field} is not valid JSON${positionIn(error)}.`);
  }
}

/** The parser's message quotes what it read, so only the place is taken from it. */
function positionIn(error: unknown): string {
  const [, position] = error instanceof Error ? (/ at position (\d+)/.exec(error.message) ?? []) : [];
  return position === undefined ? "" : ` at position ${position}`;
}

function parseForm(text: string): unknown {
  if (text.split("&", mostFormFields + 1).length > mostFormFields) {
    throw new PayloadProblem("body", `The form has more than ${mostFormFields} fields.`);
  }
  const form = new URLSearchParams(text);
  const payload = form.get("payload");
  if (payload !== null) return parseJson(Buffer.from(payload, "utf8"), "payload");
  const fields = [...new Set(form.keys())].map((name) => {
    const [first, ...others] = form.getAll(name);
    return [name, others.length === 0 ? first : [first, ...others]] as const;
  });
  if (fields.length === 0) throw new PayloadProblem("body", "The body is empty.");
  return Object.fromEntries(fields);
}

/** Drops a byte order mark. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new PayloadProblem("body", "The body is not valid UTF-8.");
  }
}
