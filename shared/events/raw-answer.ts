import type { Answer } from "../api/answer.ts";
import { readBody } from "../ingest/raw-body.ts";
import type { StoredWebhook } from "../ledgers/inbox.ts";
import type { Services } from "../services.ts";

/** A sender says what its body is; a browser is told to keep it as a file whatever that may be. */
const contentType = /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[^"\r\n]*"|[\w.+-]+))*$/;

export async function rawAnswer(
  { rawBodies }: Services,
  eventId: string,
  webhook: StoredWebhook,
): Promise<Answer> {
  const type = contentType.test(webhook.contentType) ? webhook.contentType : "application/octet-stream";
  const extension = /[/+]json\b/.test(type) ? "json" : "bin";
  return {
    status: 200,
    bytes: await readBody(rawBodies, webhook),
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${eventId}.${extension}"`,
      "content-security-policy": "sandbox",
    },
  };
}
