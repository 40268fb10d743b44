import type { IncomingMessage } from "node:http";

import { badParameter, bodyTooLarge } from "./errors.ts";

/** Room for the largest value with every character escaped, and for tags. */
const largestBodyBytes = 256 * 1024;

/** The JSON of a request. The parser's own message would quote the body, and with it the secret, so it is not used. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBodyBytes) throw bodyTooLarge(largestBodyBytes);
    chunks.push(chunk);
  }
  if (size === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw badParameter("The request body is not JSON.");
  }
}
