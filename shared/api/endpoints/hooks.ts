import { endpoint } from "../endpoint.ts";
import { problem } from "../problem-schema.ts";
import { typed } from "../typed-schema.ts";

export const receiveWebhook = endpoint({
  operationId: "receive-webhook",
  method: "POST",
  path: "hooks/{connectionId}",
  role: "public",
  tag: "Hooks",
  summary: "Takes a webhook",
  description:
    "The address of a connection, for its source. The signature is the credential; how it is made is the source's " +
    "business, and what it is made with are the connection's secrets.",
  params: { connectionId: { type: "string", description: "The connection, 32 hex digits." } },
  body: {
    ...typed<unknown>({ description: "Whatever the source sends, as it sends it." }),
    example: undefined,
  },
  responses: {
    202: {
      description: "It is stored, and will be acted on. The same webhook again is answered alike.",
      schema: {
        title: "WebhookAccepted",
        type: "object",
        additionalProperties: false,
        required: ["correlationId", "duplicate"],
        properties: {
          correlationId: {
            type: "string",
            description: "Of the first delivery, also for those that repeat it.",
          },
          duplicate: { type: "boolean" },
        },
      },
      example: { correlationId: "8d0c1c1e5f1b4d8fa8c5a2f0e3b7d914", duplicate: false },
    },
    200: {
      description: "The source is setting up the hook, and is answered as it expects.",
      contentType: "*/*",
    },
    400: problem("The body cannot be read."),
    401: problem("The signature is missing, malformed, stale or wrong."),
    403: problem("The connection takes no webhooks from this address."),
    404: problem("There is no such hook."),
    413: problem("The body is larger than the connection takes."),
    415: problem("The body is of a type the source does not send."),
    422: problem("It is signed, and cannot be used; it is kept in quarantine."),
    429: problem("The connection sends more than it may."),
    500: problem("Interlock failed in a way it has no name for."),
    503: problem("It could not be stored; send it again."),
  },
});
