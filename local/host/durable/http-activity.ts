import { messageOf } from "../../start-error.ts";
import type { HttpAnswer, HttpCall } from "./actions.ts";

/** Carries out callHttp. Any answer is a result; only a request that gets none fails. */
export async function httpCall(input: string | null): Promise<string> {
  const call = JSON.parse(input ?? "{}") as HttpCall;
  if (call.tokenSource !== undefined && call.tokenSource !== null) {
    throw new Error(
      "callHttp with a managed identity needs Azure: this host has no identity to get a token with.",
    );
  }
  const response = await fetch(call.uri, {
    method: call.method,
    redirect: "manual",
    ...(call.headers && { headers: call.headers }),
    ...(call.content !== undefined && call.content !== null && { body: call.content }),
  }).catch((error: Error) => {
    throw new Error(`${call.method} ${call.uri} got no answer: ${messageOf(error.cause ?? error)}`);
  });
  const answer: HttpAnswer = {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    content: await response.text(),
  };
  return JSON.stringify(answer);
}
