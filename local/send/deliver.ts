import { messageOf, StartError } from "../start-error.ts";
import type { SignedWebhook } from "./make-webhook.ts";

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

/** Sends it as it is. That nobody listens is something a person can mend. */
export async function deliver(hook: URL, { headers, body }: SignedWebhook): Promise<Answer> {
  const began = performance.now();
  try {
    const response = await fetch(hook, { method: "POST", headers, body, redirect: "manual" });
    const text = await response.text();
    return { status: response.status, text, tookMs: performance.now() - began };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new StartError(`${hook.origin} does not answer: ${messageOf(cause)}. Is npm start running?`, {
      cause: error,
    });
  }
}

/** One after the other, or all at the same time. */
export async function deliverAll(
  ids: readonly string[],
  atOnce: boolean,
  deliverOne: (deliveryId: string) => Promise<Answer>,
): Promise<readonly Answer[]> {
  if (atOnce) return Promise.all(ids.map(deliverOne));
  const answers: Answer[] = [];
  for (const id of ids) answers.push(await deliverOne(id));
  return answers;
}
