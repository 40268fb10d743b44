import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A vendor to send to: a real HTTP server on loopback that records every request and does what it is told.
 *
 *   const sink = await startSink();                        answers 200 {"id": "effect-1"}, counts an effect a request
 *   sink.reply("/orders", { status: 201 });                this path, from now on
 *   sink.reply("/orders", { status: 503 }, {}, {});        one after the other, the last one stays
 *   sink.reply("*", { status: 429, retryAfter: 3 });       every path without replies of its own
 *   sink.reply("/orders", { end: "drop" });                performs the effect, then cuts the connection
 *   sink.reply("/orders", { end: "hang", effect: false }); no effect, and no answer ever
 *   await sink.waitFor(3);                                 until 3 requests have come in (whole bodies)
 *   await sink.waitForEffects(2, "/orders");
 *   sink.requests, sink.effects("/orders")                 what came in; what was performed
 *   await sink.stop();
 *
 * A request other than GET performs an effect where its reply is a 2xx, unless `effect` says otherwise. With
 * `startSink({ idempotencyHeader: "idempotency-key" })` a key that has performed its effect is answered with the first
 * result and performs none. Effects can be asked for by reference, which is the idempotency key of the request
 * (whether honoured or not) or the `reference` in its JSON body: `GET /effects/<reference>` answers 200 or 404,
 * `GET /effects?reference=<reference>` answers 200 with `{"items": [...]}`.
 */
export interface Sink {
  readonly url: string;
  readonly requests: readonly SinkRequest[];
  readonly reply: (path: string, ...replies: readonly SinkReply[]) => void;
  readonly effects: (path?: string) => readonly SinkEffect[];
  /** Resolves with the requests as soon as there are so many. */
  readonly waitFor: (count: number, path?: string) => Promise<readonly SinkRequest[]>;
  readonly waitForEffects: (count: number, path?: string) => Promise<readonly SinkEffect[]>;
  /** Forgets requests, effects, keys and replies. */
  readonly clear: () => void;
  readonly stop: () => Promise<void>;
}

export interface SinkRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly at: Date;
}

export interface SinkEffect {
  readonly id: string;
  readonly reference: string;
  readonly request: SinkRequest;
}

export interface SinkReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is, anything else as JSON. Default: `{"id": <id of the effect>}`. */
  readonly body?: unknown;
  /** Seconds, or an HTTP date. */
  readonly retryAfter?: number | string;
  readonly delayMs?: number;
  readonly effect?: boolean;
  /** `drop` and `hang` come after the effect, instead of the answer. */
  readonly end?: "answer" | "drop" | "hang";
}

export interface SinkOptions {
  /** The header whose keys are honoured; without it none are. */
  readonly idempotencyHeader?: string;
  readonly port?: number;
}

export async function startSink(options: SinkOptions = {}): Promise<Sink> {
  const requests: SinkRequest[] = [];
  const effects: SinkEffect[] = [];
  const firstResults = new Map<string, { effect: SinkEffect; reply: SinkReply }>();
  const replies = new Map<string, SinkReply[]>();
  const watchers = new Set<() => void>();
  const below = <T>(items: readonly T[], path: string | undefined, pathOf: (item: T) => string): T[] =>
    items.filter((item) => path === undefined || pathOf(item) === path);
  const requestsAt = (path?: string): SinkRequest[] => below(requests, path, (request) => request.path);
  const effectsAt = (path?: string): SinkEffect[] => below(effects, path, ({ request }) => request.path);
  const changed = (): void => {
    for (const watcher of watchers) watcher();
  };

  function nextReply(path: string): SinkReply {
    const own = replies.get(path) ?? replies.get("*") ?? [];
    return (own.length > 1 ? own.shift() : own[0]) ?? {};
  }

  function perform(request: SinkRequest): { reply: SinkReply; effect?: SinkEffect; repeated?: boolean } {
    const key = request.headers[options.idempotencyHeader ?? ""];
    const first = key === undefined ? undefined : firstResults.get(key);
    if (first !== undefined) {
      const { end: _, ...reply } = first.reply;
      return { reply, effect: first.effect, repeated: true };
    }
    const reply = nextReply(request.path);
    const { status = 200 } = reply;
    const performs = reply.effect ?? (request.method !== "GET" && status >= 200 && status < 300);
    if (!performs) return { reply };
    const effect = { id: `effect-${effects.length + 1}`, reference: referenceOf(request), request };
    effects.push(effect);
    if (key !== undefined) firstResults.set(key, { effect, reply });
    return { reply, effect };
  }

  const server = createServer((incoming, response) => {
    void readRequest(incoming).then(async (request) => {
      const asked = new URL(request.url, "http://sink");
      requests.push(request);
      if (request.method === "GET" && /^\/effects(\/|$)/.test(asked.pathname)) {
        answerLookup(response, asked, effects);
        changed();
        return;
      }
      const { reply, effect, repeated = false } = perform(request);
      changed();
      if (reply.delayMs !== undefined) await passed(reply.delayMs);
      if (reply.end === "hang") return;
      if (reply.end === "drop") incoming.socket.destroy();
      else answer(response, reply, effect, repeated);
    }, ignoreBrokenRequest);
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  function until<T>(read: () => readonly T[], count: number): Promise<readonly T[]> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = read();
        if (found.length < count) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    });
  }

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    reply: (path, ...own) => void replies.set(path, [...own]),
    effects: effectsAt,
    waitFor: (count, path) => until(() => requestsAt(path), count),
    waitForEffects: (count, path) => until(() => effectsAt(path), count),
    clear: () => {
      requests.length = 0;
      effects.length = 0;
      firstResults.clear();
      replies.clear();
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<SinkRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = "", url = "" } = incoming;
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const path = new URL(url, "http://sink").pathname;
  return { method, url, path, headers, body: Buffer.concat(chunks).toString("utf8"), at: new Date() };
}

/** A client that went away in the middle of its request is what some tests are about. */
function ignoreBrokenRequest(): void {}

function referenceOf({ headers, body }: SinkRequest): string {
  const key = headers["idempotency-key"];
  if (key !== undefined) return key;
  try {
    const { reference } = JSON.parse(body) as { reference?: unknown };
    return typeof reference === "string" ? reference : "";
  } catch {
    return "";
  }
}

function answer(
  response: ServerResponse,
  reply: SinkReply,
  effect: SinkEffect | undefined,
  repeated: boolean,
): void {
  const { status = 200, retryAfter, body = effect === undefined ? {} : { id: effect.id } } = reply;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    ...(repeated ? { "idempotent-replayed": "true" } : {}),
    ...reply.headers,
  });
  response.end(text);
}

function answerLookup(response: ServerResponse, asked: URL, effects: readonly SinkEffect[]): void {
  const query = asked.searchParams.get("reference");
  const wanted = query ?? decodeURIComponent(asked.pathname.slice("/effects/".length));
  const items = effects
    .filter(({ reference }) => reference === wanted)
    .map(({ id, reference }) => ({ id, reference }));
  const [first] = items;
  const status = query === null && first === undefined ? 404 : 200;
  answer(response, { status, body: query === null ? (first ?? {}) : { items } }, undefined, false);
}

function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
