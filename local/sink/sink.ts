import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

import { listenOn } from "../process/listen.ts";
import { type Behaviour, createEffects } from "./effects.ts";
import { requestBlock, type SinkRequest } from "./request-block.ts";

interface SinkOptions extends Behaviour {
  readonly port: number;
  readonly delayMs: number;
  readonly print: (block: string) => void;
}

/** A vendor to send to, on loopback. */
export async function startSink({ port, delayMs, print, ...behaviour }: SinkOptions): Promise<{
  readonly url: string;
  readonly stop: () => Promise<void>;
}> {
  const perform = createEffects(behaviour);
  let count = 0;
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then(
      async (request) => {
        const { status, body, says, repeated } = perform(request.idempotencyKey);
        count += 1;
        print(requestBlock(count, request, `${status} ${JSON.stringify(body)} (${says})`));
        await delay(delayMs);
        response.writeHead(status, {
          "content-type": "application/json",
          ...(repeated && { "idempotent-replayed": "true" }),
        });
        response.end(JSON.stringify(body));
      },
      // A client that went away in the middle of its request is owed nothing.
      () => response.destroy(),
    );
  });
  const listening = await listenOn(server, "127.0.0.1", port, "The sink");
  return {
    url: `http://127.0.0.1:${listening}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(incoming: IncomingMessage): Promise<SinkRequest> {
  const { method = "", url = "", headers } = incoming;
  const header = (name: string): string | undefined => headers[name]?.toString();
  return {
    method,
    path: url,
    idempotencyKey: header("idempotency-key"),
    correlationId: header("x-correlation-id"),
    body: await text(incoming),
  };
}
