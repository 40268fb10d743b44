import type { HttpAnswer, HttpCall } from "./actions.ts";

/** How long a 202 that does not say is waited with. */
export const httpPollIntervalMs = 30_000;

interface Poll {
  readonly request: HttpCall;
  readonly afterMs: number;
}

/** A 202 that says where to look for the answer is no answer yet: when and where to ask again. */
export function nextPoll(request: HttpCall, answered: string | null): Poll | undefined {
  if (answered === null || request.asynchronousPatternEnabled === false) return undefined;
  const answer = JSON.parse(answered) as HttpAnswer;
  const location = header(answer, "location");
  if (answer.statusCode !== 202 || location === undefined) return undefined;
  const seconds = Number(header(answer, "retry-after"));
  const afterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : httpPollIntervalMs;
  return { request: pollRequest(request, location), afterMs };
}

/** A function's key is not the key of the address that tells how it goes, so it is not handed on. */
function pollRequest({ headers, tokenSource, uri }: HttpCall, location: string): HttpCall {
  const kept = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() !== "x-functions-key");
  return {
    method: "GET",
    uri: new URL(location, uri).href,
    ...(headers && { headers: Object.fromEntries(kept) }),
    ...(tokenSource !== undefined && { tokenSource }),
  };
}

function header({ headers }: HttpAnswer, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
