import type { IncomingMessage, ServerResponse } from "node:http";

import type { HttpMount } from "../host-context.ts";
import { managementUrls } from "./client-binding.ts";
import type { ClientOperations, Started, Told } from "./client-operations.ts";
import { continuationHeader, pageToken, readFilter, readPage, statusOptions } from "./client-query.ts";
import { isFinished } from "./history.ts";
import type { Instance } from "./instance.ts";
import { statusOf } from "./status.ts";

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Call {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly body: () => Promise<string>;
}

type Handler = (call: Call) => Promise<Answer> | Answer;

interface ClientApiOptions {
  readonly prefix: string;
  /** Where this host answers. */
  readonly url: () => string;
  readonly operations: ClientOperations;
  /** Resolves when the orchestration has finished; false when it has not within the time. */
  readonly finished: (id: string, withinMs: number) => Promise<boolean>;
}

/** The management API of the Durable extension, which its client speaks as well: status codes are part of it. */
export function createClientApi({ prefix, url, operations, finished }: ClientApiOptions): HttpMount {
  const routes: readonly [method: string, shape: string, handler: Handler][] = [
    ["POST", "orchestrators/*", (call) => start(call, call.path[1] ?? "", undefined)],
    ["POST", "orchestrators/*/*", (call) => start(call, call.path[1] ?? "", call.path[2])],
    ["GET", "instances", list],
    ["DELETE", "instances", purgeAll],
    ["GET", "instances/*", ({ path, query, request }) => status(path[1] ?? "", query, request)],
    ["DELETE", "instances/*", purge],
    ["POST", "instances/*/raiseEvent/*", raiseEvent],
    ["POST", "instances/*/terminate", (call) => control(call, "terminate")],
    ["POST", "instances/*/suspend", (call) => control(call, "suspend")],
    ["POST", "instances/*/resume", (call) => control(call, "resume")],
    ["POST", "instances/*/rewind", rewind],
    ["POST", "instances/*/restart", restart],
    ["GET", "entities", (call) => listEntities(call)],
    ["GET", "entities/*", (call) => listEntities(call, call.path[1])],
    ["GET", "entities/*/*", readEntity],
    ["POST", "entities/*/*", signalEntity],
  ];

  async function start(call: Call, name: string, instanceId: string | undefined): Promise<Answer> {
    const text = await call.body();
    if (text !== "" && !isJson(text)) return badRequest("The input of an orchestration must be JSON.");
    const version = call.query.get("version") ?? undefined;
    const input = text === "" ? null : text;
    return startedAnswer(call, await operations.start({ name, instanceId, input, version }));
  }

  async function startedAnswer({ query, request }: Call, started: Started): Promise<Answer> {
    if (started.kind === "invalid") return badRequest(started.message);
    if (started.kind === "running") {
      return wrong(500, `An Orchestration instance with the status ${started.status} already exists.`);
    }
    const seconds = Number(query.get("timeout"));
    if (seconds > 0 && (await finished(started.instanceId, seconds * 1000))) {
      return outcome(started.instanceId, query, request);
    }
    const links = managementUrls(origin(request) ?? url(), started.instanceId);
    const headers = { location: links["statusQueryGetUri"] ?? "", "retry-after": "10" };
    return { status: 202, body: links, headers };
  }

  /** Who waited for success gets the output alone. */
  function outcome(id: string, query: URLSearchParams, request: IncomingMessage): Answer {
    const found = operations.orchestration(id);
    if (found?.status !== "Completed") return status(id, query, request);
    return { status: 200, body: found.output === null ? null : JSON.parse(found.output) };
  }

  function status(id: string, query: URLSearchParams, request: IncomingMessage): Answer {
    const found = operations.orchestration(id);
    if (found === undefined) return { status: 404 };
    const body = statusOf(found, statusOptions(query));
    if (isFinished(found.status)) {
      const failed = found.status === "Failed" && query.get("returnInternalServerErrorOnFailure") === "true";
      return { status: failed ? 500 : 200, body };
    }
    const location = managementUrls(origin(request) ?? url(), id)["statusQueryGetUri"] ?? "";
    return { status: 202, body, headers: { location, "retry-after": "5" } };
  }

  function list({ query, request }: Call): Answer {
    const filter = readFilter(query);
    if (typeof filter === "string") return badRequest(filter);
    const { top, after } = readPage(query, request.headers[continuationHeader]);
    const found = operations.list({ ...filter, kind: "orchestration" }, top, after);
    const options = { ...statusOptions(query), showInput: query.get("showInput") !== "false" };
    return pageOf(found, top, (instance) =>
      instance.kind === "entity" ? [] : [statusOf(instance, options)],
    );
  }

  async function purgeAll({ query }: Call): Promise<Answer> {
    const filter = readFilter(query);
    if (typeof filter === "string") return badRequest(filter);
    if (filter.createdFrom === undefined) return badRequest("Please provide a value for createdTimeFrom.");
    const purged = await operations.purgeAll(filter);
    return purged === 0 ? { status: 404 } : { status: 200, body: { instancesDeleted: purged } };
  }

  async function purge({ path }: Call): Promise<Answer> {
    const purged = await operations.purge(path[1] ?? "");
    return purged ? { status: 200, body: { instancesDeleted: 1 } } : { status: 404 };
  }

  async function raiseEvent({ path, body }: Call): Promise<Answer> {
    const text = await body();
    if (!isJson(text)) return badRequest("The data of an event must be JSON; send null for none.");
    return toldAnswer(await operations.raiseEvent(path[1] ?? "", path[3] ?? "", text));
  }

  async function control({ path, query }: Call, what: "terminate" | "suspend" | "resume"): Promise<Answer> {
    return toldAnswer(await operations.control(path[1] ?? "", what, query.get("reason") ?? ""));
  }

  function rewind({ path }: Call): Answer {
    const found = operations.orchestration(path[1] ?? "");
    if (found === undefined) return { status: 404 };
    // The client takes the body for its message.
    return { status: 501, body: "This host does not rewind; restart the instance instead." };
  }

  async function restart(call: Call): Promise<Answer> {
    const withNewId = call.query.get("restartWithNewInstanceId") !== "false";
    const started = await operations.restart(call.path[1] ?? "", withNewId);
    if (started.kind === "missing") {
      return badRequest("InstanceId does not match a valid orchestration instance.");
    }
    return startedAnswer(call, started);
  }

  function listEntities({ query, request }: Call, name?: string): Answer {
    const { top, after } = readPage(query, request.headers[continuationHeader]);
    const idPrefix = name === undefined ? "@" : `@${name.toLowerCase()}@`;
    const found = operations.list({ kind: "entity", idPrefix }, top, after);
    return pageOf(found, top, (instance) => {
      if (instance.kind !== "entity" || !instance.exists) return [];
      const [, entityName, key] = /^@([^@]*)@(.*)$/s.exec(instance.id) ?? [];
      const lastOperationTime = new Date(instance.lastUpdatedTime).toISOString();
      const state: unknown =
        query.get("fetchState") === "true" && instance.state ? JSON.parse(instance.state) : null;
      return [{ entityId: { name: entityName, key }, lastOperationTime, state }];
    });
  }

  function readEntity({ path }: Call): Answer {
    const found = operations.entity(`@${(path[1] ?? "").toLowerCase()}@${path[2] ?? ""}`);
    if (found === undefined || found.state === null) return { status: 404 };
    return { status: 200, body: JSON.parse(found.state) };
  }

  async function signalEntity({ path, query, body }: Call): Promise<Answer> {
    const text = await body();
    if (text !== "" && !isJson(text)) return badRequest("The input of an entity operation must be JSON.");
    const id = `@${(path[1] ?? "").toLowerCase()}@${path[2] ?? ""}`;
    await operations.signalEntity(id, query.get("op") ?? "", text === "" ? null : text);
    return { status: 202 };
  }

  return {
    prefix,
    async handle(request, response) {
      const target = new URL(request.url ?? "/", "http://host");
      const path = target.pathname.slice(prefix.length).split("/").filter(Boolean).map(decoded);
      const route = routes.find(([method, shape]) => method === request.method && fits(shape, path));
      const call: Call = { path, query: target.searchParams, request, body: () => readBody(request) };
      send(response, route === undefined ? { status: 404 } : await route[2](call));
    },
  };
}

function fits(shape: string, path: readonly string[]): boolean {
  const parts = shape.split("/");
  return (
    parts.length === path.length &&
    parts.every((part, index) => part === "*" || part.toLowerCase() === path[index]?.toLowerCase())
  );
}

/** A full page may be followed by another: the token says where it begins. */
function pageOf(found: Instance[], top: number, show: (instance: Instance) => object[]): Answer {
  const last = found.length === top ? found.at(-1) : undefined;
  return { status: 200, body: found.flatMap(show), headers: { [continuationHeader]: pageToken(last) } };
}

function toldAnswer(told: Told): Answer {
  return { status: told === "told" ? 202 : told === "missing" ? 404 : 410 };
}

function badRequest(message: string): Answer {
  return wrong(400, message, "System.ArgumentException");
}

function wrong(status: number, message: string, type = "System.InvalidOperationException"): Answer {
  const body = {
    Message: "Something went wrong while processing your request",
    ExceptionMessage: message,
    ExceptionType: type,
  };
  return { status, body };
}

function origin(request: IncomingMessage): string | undefined {
  const { host } = request.headers;
  return host === undefined ? undefined : `http://${host}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, {
    ...headers,
    ...(body !== undefined && { "content-type": "application/json" }),
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
