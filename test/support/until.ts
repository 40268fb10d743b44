import { setTimeout as delay } from "node:timers/promises";

const patienceMs = 25_000;
const pauseMs = 10;

/** Asks again until there is an answer. Waits for a state; how long it takes is nobody's assertion. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  patience = patienceMs,
): Promise<T> {
  const giveUpAt = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > giveUpAt) throw new Error(`Still waiting after ${patience} ms: ${what}`);
    await delay(pauseMs);
  }
}
