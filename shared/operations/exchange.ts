import type { Endpoint, Route } from "../config/route-schema.ts";
import type { Failing } from "../failures/classes.ts";
import { classifyStatus } from "../failures/classify.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { excerptOf } from "../outbound/redact.ts";
import { sendRequest, type OutboundAnswer, type OutboundRequest } from "../outbound/send-request.ts";
import { childTraceparent } from "../envelope/traceparent.ts";
import { fetchCredential, type SecretOf } from "./credential.ts";
import type { OperationInput } from "./operation.ts";

/** A route's operation, and what it needs to be done. */
export interface Binding {
  readonly endpoint: Endpoint;
  readonly operation: Route["operation"];
  readonly targetSystem: string;
  readonly secretOf: SecretOf;
  readonly client: OutboundClient;
}

const defaultTimeoutSeconds = 30;

/** Sends with the credential, and says what the answer means. */
export async function exchange(
  { endpoint, operation, secretOf, client }: Binding,
  request: OutboundRequest,
  own: Readonly<Record<string, string>>,
  statusClasses: Binding["operation"]["statusClasses"] = {},
): Promise<{ readonly answer: OutboundAnswer; readonly failing: Failing | undefined }> {
  const auth = endpoint.auth && (await fetchCredential(endpoint.auth, secretOf));
  const headers = { ...request.headers, ...own, ...(auth && { [auth.header]: auth.value }) };
  const timeoutMs = (operation.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
  const answer = await sendRequest(client, { ...request, headers }, { timeoutMs });
  const said = {
    ...answer,
    host: request.url.host,
    excerpt: () => excerptOf(answer.bodyText, auth?.secrets),
  };
  return { answer, failing: classifyStatus(said, new Date(), statusClasses) };
}

/** What every request carries, so that a vendor's log and ours can be laid side by side. */
export function ownHeaders(
  { envelope, idempotencyKey }: OperationInput,
  spanId: string,
  idempotencyHeader?: string,
): Record<string, string> {
  return {
    traceparent: childTraceparent(envelope.traceparent, spanId),
    "x-correlation-id": envelope.correlationid,
    ...(idempotencyHeader === undefined ? {} : { [idempotencyHeader.toLowerCase()]: idempotencyKey }),
  };
}
