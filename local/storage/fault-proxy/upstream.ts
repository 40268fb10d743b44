import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

/** Azurite closes a connection after five idle seconds; a shorter wait keeps us from using one that is closing. */
const idleMs = 2000;

const perConnection = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** The server behind the proxy. Path and headers go through as they came, so a client's signature stays good. */
export class Upstream {
  readonly #hostname: string;
  readonly #port: string;
  readonly #agent = new Agent({ keepAlive: true, timeout: idleMs });

  constructor(url: string) {
    ({ hostname: this.#hostname, port: this.#port } = new URL(url));
  }

  /** Sends a request on; `body` is given when it has been read already. */
  async forward(
    request: IncomingMessage,
    target: string,
    body: Buffer | undefined,
  ): Promise<IncomingMessage> {
    const outgoing = httpRequest({
      hostname: this.#hostname,
      port: this.#port,
      agent: this.#agent,
      method: request.method,
      path: target,
      headers: kept(request.rawHeaders),
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve).once("error", reject);
    });
    if (body) outgoing.end(body);
    else pipeline(request, outgoing).catch(() => outgoing.destroy());
    return answered;
  }

  close(): void {
    this.#agent.destroy();
  }
}

export async function passOn(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, kept(answer.rawHeaders));
  await pipeline(answer, response);
}

/** Reads an answer nobody will see: until its end the operation may not be complete. */
export async function swallow(answer: IncomingMessage): Promise<void> {
  await buffer(answer);
}

/** Names and values in turn, as they came. */
function kept(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)];
    return name !== undefined && !perConnection.has(name.toLowerCase());
  });
}
