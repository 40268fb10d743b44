import type { HttpRequest } from "@azure/functions";

import { Fault } from "../faults.ts";
import { excessOf } from "../sources/json-limits.ts";
import type { BodySpec } from "./endpoint.ts";
import { fitting } from "./invalid.ts";
import { typed } from "./typed-schema.ts";

const maxBytes = 1024 * 1024;

export const jsonContentType = "application/json";

type IncomingBody = Pick<HttpRequest, "headers" | "body">;

/** Of an endpoint that takes none, whatever was sent. */
const noBody = typed<never>({});

/** The body as the endpoint's schema has it: of the right type, not too large, JSON, and fitting. */
export async function readJsonBody<Body>(
  spec: BodySpec<Body> | undefined,
  request: IncomingBody,
): Promise<Body> {
  if (spec === undefined) return noBody.read(undefined);
  const { contentTypes = [jsonContentType], read } = spec;
  const contentType = request.headers.get("content-type") ?? "";
  if (!accepts(contentTypes, contentType)) {
    throw new Fault("unsupported-media-type", `This endpoint takes ${contentTypes.join(" or ")}.`);
  }
  const value = parse(await readBytes(request));
  return fitting("body", () => read(value));
}

/** JSON is always UTF-8, so any other charset is another type. */
function accepts(contentTypes: readonly string[], given: string): boolean {
  const [type = "", ...parameters] = given.toLowerCase().split(";");
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return false;
  return contentTypes.includes(type.trim());
}

async function readBytes({ headers, body }: IncomingBody): Promise<Buffer> {
  if (Number(headers.get("content-length")) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    if (!(chunk instanceof Uint8Array)) throw new Fault("body-not-json");
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): Fault {
  return new Fault("body-too-large", `The body may be ${maxBytes} bytes at the most.`);
}

function parse(bytes: Buffer): unknown {
  const excess = excessOf(bytes);
  if (excess !== undefined) throw new Fault("body-not-json", excess);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // What the parser says quotes the text, which may hold a secret.
    throw new Fault("body-not-json");
  }
}
