/**
 * The vendor, in a process of its own: sends signed webhooks and takes what comes of them. Told what to do by messages of
 * the process that started it (`vendor-process.ts` is that side).
 */
import { Connection } from "./connection.ts";
import { type Latencies, latenciesOf } from "./latencies.ts";
import { startSink } from "./sink.ts";
import { type HookAddress, webhookRequest } from "./webhook-requests.ts";

export interface Volley {
  readonly url: string;
  readonly hook: HookAddress;
  /** How many webhooks, beginning with which number. */
  readonly count: number;
  readonly first: number;
  /** How many at a time. */
  readonly width: number;
  /** When the next one may go: once it is answered, or once its effect has arrived here. */
  readonly until: "answered" | "effect";
  /** Whether to wait, at the end, for every effect. */
  readonly effects: boolean;
  /** How many different requests are made; they are sent again and again when that is fewer. */
  readonly different: number;
}

export interface VolleyResult {
  readonly accepted: number;
  /** Answers other than 202, by status. */
  readonly refused: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly answers: Latencies;
  /** From the first request to the last effect. */
  readonly effectSeconds: number;
  readonly effects: Latencies;
  readonly effectCount: number;
  /** Effects that had been there before. */
  readonly repeated: number;
}

const sink = await startSink();

async function fire({
  url,
  hook,
  count,
  first,
  width,
  until,
  effects,
  different,
}: Volley): Promise<VolleyResult> {
  const requests = Array.from({ length: different }, (_, index) => webhookRequest(hook, first + index));
  const connections = await Promise.all(Array.from({ length: width }, () => Connection.open(url)));
  sink.expect(first, count);
  const answers = new Float64Array(count);
  const sentAt = new Float64Array(count);
  const refused: Record<string, number> = {};
  let next = 0;
  const lane = async (connection: Connection): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const request = requests[index % different];
      if (request === undefined) throw new Error("There are no requests");
      const began = performance.now();
      sentAt[index] = began;
      const status = await connection.send(request);
      answers[index] = performance.now() - began;
      if (status !== 202) refused[status] = (refused[status] ?? 0) + 1;
      else if (until === "effect") await sink.arrived(first + index);
    }
  };
  const started = performance.now();
  await Promise.all(connections.map(lane));
  const seconds = (performance.now() - started) / 1000;
  for (const connection of connections) connection.close();
  const accepted = count - Object.values(refused).reduce((sum, each) => sum + each, 0);
  if (effects) await sink.all(accepted);
  const { arrivals, lastAt, repeated } = sink.seen();
  return {
    accepted,
    refused,
    seconds,
    answers: latenciesOf(answers),
    effectSeconds: (lastAt - started) / 1000,
    effects: latenciesOf([...arrivals].map(([number, at]) => at - (sentAt[number - first] ?? at))),
    effectCount: arrivals.size,
    repeated,
  };
}

process.on("message", (volley: Volley) => {
  fire(volley).then(
    (result) => process.send?.({ kind: "result", result }),
    (error: unknown) => process.send?.({ kind: "failed", message: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send?.({ kind: "ready", sinkUrl: sink.url });
