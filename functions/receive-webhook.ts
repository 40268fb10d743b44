import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";

import { logFailure } from "../shared/api/serve.ts";
import { nameFailure } from "../shared/api/unavailable.ts";
import { Fault } from "../shared/faults.ts";
import { type Acceptance, acceptWebhook } from "../shared/ingest/accept.ts";
import { problemResponse } from "../shared/problem.ts";
import { services } from "../shared/services.ts";

/** Takes a vendor's webhook: 202 when it is stored, and not a moment before. */
async function receiveWebhook(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  try {
    const all = await services();
    const acceptance = await acceptWebhook(all, all.logTo(context, "receive-webhook"), {
      connectionId: request.params["connectionId"] ?? "",
      headers: request.headers,
      body: async () => new Uint8Array(await request.arrayBuffer()),
    });
    return answerTo(acceptance, context.invocationId);
  } catch (error) {
    const fault = nameFailure(error);
    logFailure(fault, "receive-webhook", context);
    return problemResponse(fault, context.invocationId);
  }
}

function answerTo(acceptance: Acceptance, invocationId: string): HttpResponseInit {
  switch (acceptance.kind) {
    case "accepted": {
      const { correlationId, duplicate } = acceptance;
      const headers = { "x-correlation-id": correlationId };
      return { status: 202, headers, jsonBody: { correlationId, duplicate } };
    }
    case "handshake": {
      const { status, headers, body } = acceptance.handshake;
      return { status, headers: { ...headers, "x-correlation-id": invocationId }, body };
    }
    case "quarantined": {
      const { problem, correlationId } = acceptance;
      const errors = [{ path: problem.field, message: problem.message }];
      return problemResponse(new Fault("payload-unusable", problem.message, { errors }), correlationId);
    }
  }
}

app.http("receive-webhook", {
  route: "hooks/{connectionId}",
  methods: ["POST"],
  authLevel: "anonymous", // The signature is the credential.
  handler: receiveWebhook,
});
