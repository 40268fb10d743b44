import type { IncomingMessage, ServerResponse } from "node:http";

import { checkToken, type SasKey } from "../amqp/sas-token.ts";
import type { Broker } from "../entities/broker.ts";
import { trafficOf } from "../entities/traffic.ts";
import { entityNotFound, invalidArgument, toBusError, unauthorized, type BusError } from "../errors.ts";
import { entryXml, errorXml, feedXml, type Entry } from "./atom.ts";
import {
  entityResource,
  listEntities,
  listRules,
  listSubscriptions,
  ruleResource,
  subscriptionResource,
  type Resource,
} from "./resources.ts";
import { tag, XmlError } from "./xml.ts";

const largestBody = 256 * 1024;
const pageSize = 100;
const xmlType = "application/atom+xml;type=entry;charset=utf-8";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The administration interface: entities and their message counts as ATOM, a health route, and the traffic so far. */
export function adminHandler(
  broker: Broker,
  key: SasKey | undefined,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void respond(broker, key, request).then((answer) => {
      /** Told only when what was changed is safe. */
      broker.store.commit(() =>
        response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body),
      );
    });
  };
}

async function respond(broker: Broker, key: SasKey | undefined, request: IncomingMessage): Promise<Answer> {
  try {
    const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "localhost"}`);
    if (url.pathname === "/health") {
      const healthy = { status: "healthy", message: "Service is healthy." };
      return { status: 200, type: "application/json", body: JSON.stringify(healthy) };
    }
    const body = await readBody(request);
    authorize(request, url, key, broker.clock.now());
    return route(broker, request, url, body);
  } catch (error) {
    const { status, message } = named(error);
    return { status, type: xmlType, body: errorXml(status, message) };
  }
}

/** What the request's own text caused is the client's fault. */
function named(error: unknown): BusError {
  const malformed = error instanceof XmlError || error instanceof URIError || error instanceof TypeError;
  return malformed ? invalidArgument(error.message) : toBusError(error);
}

function authorize(request: IncomingMessage, url: URL, key: SasKey | undefined, now: number): void {
  if (!key) return;
  const { authorization } = request.headers;
  if (authorization === undefined) throw unauthorized("The request carries no token.");
  checkToken(authorization, url.href, key, now);
}

function route(broker: Broker, request: IncomingMessage, url: URL, body: string): Answer {
  const path = url.pathname
    .split("/")
    .map(decodeURIComponent)
    .filter((part) => part !== "")
    .join("/");
  if (path === "$traffic") {
    return { status: 200, type: "application/json", body: JSON.stringify(trafficOf(broker)) };
  }
  const list = findList(broker, path);
  if (path.toLowerCase() === "$namespaceinfo") return entry(url, 200, namespaceEntry(broker));
  if (list) return feed(url, path, list);
  const resource = findResource(broker, path);
  switch (request.method) {
    case "GET":
      return entry(url, 200, resource.get());
    case "PUT":
      return request.headers["if-match"] === undefined
        ? entry(url, 201, resource.create(body))
        : entry(url, 200, updated(resource, body));
    case "DELETE":
      resource.remove();
      return { status: 200, type: xmlType, body: "" };
    default:
      throw invalidArgument(`${request.method} is not supported.`);
  }
}

function updated(resource: Resource, body: string): Entry {
  resource.get();
  return resource.update(body);
}

function findList(broker: Broker, path: string): readonly Entry[] | undefined {
  const [, kind] = /^\$resources\/(queues|topics)$/i.exec(path) ?? [];
  if (kind !== undefined) return listEntities(broker, kind.toLowerCase() === "queues" ? "queues" : "topics");
  const [, topic, subscription] = /^(.+?)\/subscriptions(?:\/([^/]+)\/rules)?$/i.exec(path) ?? [];
  if (topic === undefined) return undefined;
  return subscription === undefined
    ? listSubscriptions(broker, topic)
    : listRules(broker, topic, subscription);
}

function findResource(broker: Broker, path: string): Resource {
  const [, topic, subscription, rule] =
    /^(.+?)\/subscriptions\/([^/]+)(?:\/rules\/([^/]+))?$/i.exec(path) ?? [];
  if (topic !== undefined && subscription !== undefined) {
    return rule === undefined
      ? subscriptionResource(broker, topic, subscription)
      : ruleResource(broker, topic, subscription, rule);
  }
  if (path === "") throw entityNotFound("/");
  return entityResource(broker, path);
}

const entry = (url: URL, status: number, found: Entry): Answer => ({
  status,
  type: xmlType,
  body: entryXml(url.origin, found),
});

function feed(url: URL, path: string, all: readonly Entry[]): Answer {
  const skip = Number(url.searchParams.get("$skip") ?? 0);
  const top = Number(url.searchParams.get("$top") ?? pageSize);
  const next = skip + top < all.length ? `${path}?$skip=${skip + top}&$top=${top}` : undefined;
  const body = feedXml(url.origin, path, next, all.slice(skip, skip + top));
  return { status: 200, type: "application/atom+xml;type=feed;charset=utf-8", body };
}

function namespaceEntry(broker: Broker): Entry {
  const now = new Date(broker.clock.now()).toISOString();
  const content =
    tag("CreatedTime", now) +
    tag("MessagingSKU", "Standard") +
    tag("ModifiedTime", now) +
    tag("Name", "sbemulatorns");
  return { path: "$namespaceinfo", kind: "NamespaceInfo", content, updatedAt: broker.clock.now() };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) throw invalidArgument("The request is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
