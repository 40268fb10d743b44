import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { isOn } from "../config/settings.ts";
import type { HostedFunction } from "../functions.ts";
import type { HostContext, HttpMount } from "../host-context.ts";
import { messageOf, stackOf, StartError } from "../../start-error.ts";
import { type AdminOptions, answerAdmin } from "./admin.ts";
import { announcesTooMuch, bodyLimit } from "./body.ts";
import { invokeStreaming } from "./invoke-streaming.ts";
import { invokeWhole } from "./invoke-whole.ts";
import { respond, respondAndClose } from "./respond.ts";
import { createRouter, type Route } from "./router.ts";
import { isBelow, readTarget } from "./target.ts";

export interface HttpServerOptions {
  /** 0: any free one. */
  readonly port: number;
  readonly host?: string;
  /** Asked before the routes of the app. */
  readonly mounts: readonly HttpMount[];
  /** What the worker can do; with `HttpUri` among it, requests are streamed there. */
  readonly capabilities: Readonly<Record<string, string | undefined>>;
  fire(fn: HostedFunction, input: string | undefined): Promise<void>;
  status(): object;
}

export interface HttpServer {
  readonly port: number;
  readonly url: string;
  routes(): { readonly name: string; readonly methods: readonly string[]; readonly url: string }[];
  /** Refuses what is new, lets what runs end, then lets go of the port. */
  stop(): Promise<void>;
}

const homePage = "Your Functions app is up and running\n";

export async function createHttpServer(
  context: HostContext,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { log, settings, hostSettings, functions } = context;
  const router = createRouter(functions, hostSettings.http.routePrefix);
  const limit = bodyLimit(settings);
  const libraryUrl = options.capabilities["HttpUri"];
  const running = new Set<Promise<void>>();
  /** Requests that a function of the app is answering. */
  let invoking = 0;
  let stopping = false;
  let url = "";
  let ownHost = "";

  const urlOf = (route: Route): string => `${url}/${route.template.text}`;
  const admin: AdminOptions = {
    bodyLimit: limit,
    fire: (fn, input) => options.fire(fn, input),
    status: () => options.status(),
    invokeUrl(fn) {
      const route = router.routes.find((candidate) => candidate.fn === fn);
      return route && urlOf(route);
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = readTarget(request, ownHost);
    if (target === undefined) return respond(response, 400);
    const mount = options.mounts.find(({ prefix }) => isBelow(target.url, prefix));
    // A function that still runs may need a mount, which it calls as anybody does, to come to its end.
    if (stopping && (mount === undefined || invoking === 0)) return respondAndClose(response, 503);
    if (mount !== undefined) return mount.handle(request, response);
    if (isBelow(target.url, "/admin")) return answerAdmin(context, admin, request, response, target);
    const match = router.find(target.method, target.path);
    if (match !== undefined) {
      invoking++;
      const invoked =
        libraryUrl === undefined
          ? invokeWhole(context, limit, request, response, target, match)
          : invokeStreaming(context, libraryUrl, limit, request, response, target, match);
      return invoked.finally(() => invoking--);
    }
    if (target.url.pathname !== "/") return respond(response, 404);
    if (isOn(settings["AzureWebJobsDisableHomepage"])) return respond(response, 204);
    return respond(response, 200, homePage, "text/plain; charset=utf-8");
  }

  function belongsToHost(request: IncomingMessage): boolean {
    const path = request.url ?? "/";
    return options.mounts.some(({ prefix }) => path.startsWith(`${prefix}/`));
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that leaves is no fault of the host's; writing to it is simply in vain.
    request.on("error", () => {});
    response.on("error", () => {});
    // Functions that run to their end may still need the host's own parts, such as the durable client's.
    if (stopping && !belongsToHost(request)) return respondAndClose(response, 503);
    try {
      await answer(request, response);
    } catch (error) {
      log.write("Error", "Host.Http", `${request.method} ${request.url} failed: ${stackOf(error)}`);
      if (response.headersSent) response.destroy();
      else respond(response, 500);
    }
    if (!response.closed) await once(response, "close");
  }

  const track = (request: IncomingMessage, response: ServerResponse): void => {
    const work = take(request, response).finally(() => running.delete(work));
    running.add(work);
  };
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 130_000 }, track);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    if (!stopping && !announcesTooMuch(request, limit)) response.writeContinue();
    track(request, response);
  });

  const host = options.host ?? "127.0.0.1";
  const port = await listen(server, options.port, host);
  url = `http://${/^(?:0\.0\.0\.0|::)$/.test(host) ? "localhost" : host}:${port}`;
  ownHost = new URL(url).host;

  return {
    port,
    url,
    routes: () =>
      router.routes.map((route) => ({
        name: route.fn.name,
        methods: route.methods ?? [],
        url: urlOf(route),
      })),
    async stop() {
      stopping = true;
      while (running.size > 0) await Promise.all(running);
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<number> {
  const listening = once(server, "listening");
  server.listen(port, host);
  try {
    await listening;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new StartError(`Port ${port} is taken: stop what listens there, or choose another with --port`);
    }
    throw new StartError(`The host cannot listen on ${host}:${port}: ${messageOf(error)}`);
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
