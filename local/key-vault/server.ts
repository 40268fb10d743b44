import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { listenOn } from "../process/listen.ts";
import { OpenRequests } from "../process/open-requests.ts";
import { toVaultError, unauthorized, VaultError } from "./errors.ts";
import { readJson } from "./request-body.ts";
import type { Answer } from "./routes.ts";
import { openVault, type Vault } from "./vault.ts";

export interface KeyVaultOptions {
  readonly host?: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Where secrets survive the process; without it they live in memory. */
  readonly file?: string;
  readonly clock?: { now(): number };
  /** Told what went wrong inside; never a name or a value. */
  readonly log?: (line: string) => void;
}

export interface KeyVaultServer {
  readonly url: string;
  readonly port: number;
  /** Answers what has been asked, then closes. */
  stop(): Promise<void>;
}

/**
 * A client sends its first request without token and without body and learns from this header whom to ask for a
 * token; a vault that answered at once would store an empty secret.
 */
const challenge =
  'Bearer authorization="https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000", ' +
  'resource="https://vault.azure.net"';

/** Starts a vault for secrets; any bearer token opens it. */
export async function startKeyVault(options: KeyVaultOptions): Promise<KeyVaultServer> {
  const { host = "127.0.0.1", file, clock = Date, log = () => {} } = options;
  const server = createServer();
  // The port first: whoever finds it taken must not have touched the file. Early callers wait for the vault.
  const port = await listenOn(server, host, options.port, "Key Vault");
  const url = `http://${host}:${port}`;
  const opening = openVault(file, () => clock.now());
  server.on("request", (request, response) => {
    respond(opening, request, url, log).then(
      (outcome) => send(response, outcome),
      () => response.destroy(),
    );
  });
  const requests = new OpenRequests(server);
  const vault = await opening.catch(async (error: unknown) => {
    await requests.drain();
    throw error;
  });
  return {
    url,
    port,
    async stop() {
      await requests.drain();
      await vault.close();
    },
  };
}

async function respond(
  opening: Promise<Vault>,
  request: IncomingMessage,
  url: string,
  log: (line: string) => void,
): Promise<Answer> {
  const vault = await opening;
  try {
    const body = await readJson(request);
    if (!/^Bearer ./i.test(request.headers.authorization ?? "")) throw unauthorized();
    const base = request.headers.host === undefined ? url : `http://${request.headers.host}`;
    return await vault.answer({
      method: request.method ?? "GET",
      base,
      url: new URL(request.url ?? "/", url),
      body,
    });
  } catch (thrown) {
    if (!(thrown instanceof VaultError)) log(`A request failed: ${causeOf(thrown)}`);
    const failure = toVaultError(thrown);
    return { status: failure.status, body: errorBody(failure) };
  }
}

const errorBody = ({ code, message, innerCode }: VaultError): object => ({
  error: { code, message, ...(innerCode !== undefined && { innererror: { code: innerCode } }) },
});

function send(response: ServerResponse, { status, body }: Answer): void {
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, {
    "x-ms-request-id": randomUUID(),
    "content-length": Buffer.byteLength(text),
    ...(text !== "" && { "content-type": "application/json; charset=utf-8" }),
    ...(status === 401 && { "www-authenticate": challenge }),
    // The rest of a body that is too large is not worth reading.
    ...(status === 413 && { connection: "close" }),
  });
  response.end(text);
}

/** The code of a system error says enough; a message might quote what must not be logged. */
function causeOf(thrown: unknown): string {
  if (thrown instanceof Error && "code" in thrown && typeof thrown.code === "string") return thrown.code;
  return thrown instanceof Error ? thrown.name : "unknown";
}
