import { createHmac, randomUUID } from "node:crypto";

import { effectiveRoute } from "../../shared/config/effective.ts";
import type { RouteConfig } from "../../shared/config/route-schema.ts";
import { putConfig, routeConfigsTable } from "../../shared/ledgers/configs.ts";
import { createApiClient, type ApiClient } from "./api-client.ts";
import { startSink, type Sink, type SinkOptions } from "./sink.ts";
import { startTestStack, type TestStack } from "./test-stack.ts";

type HostOptions = Parameters<typeof startTestStack>[0];

/** A stack, a vendor to send to and a GitHub that sends: what most tests of the whole path need. */
export interface Scenario {
  readonly stack: TestStack;
  readonly api: ApiClient;
  readonly sink: Sink;
  readonly url: string;
  readonly connect: (settings?: object) => Promise<GithubHook>;
  /** Puts a configuration in place, whose endpoint `sink` is the sink. */
  readonly configure: (routes: readonly object[], more?: object) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface GithubHook {
  readonly connectionId: string;
  readonly secret: string;
  readonly deliver: (delivery?: Delivery) => Promise<Response>;
}

export interface Delivery {
  readonly event?: string;
  readonly id?: string;
  readonly payload?: object;
  /** Overrides what would be sent. */
  readonly body?: Buffer;
  readonly headers?: Record<string, string>;
}

export async function startScenario(
  options: HostOptions = {},
  sinkOptions: SinkOptions = {},
): Promise<Scenario> {
  const [stack, sink] = await Promise.all([startTestStack(options), startSink(sinkOptions)]);
  return scenarioOn(stack, sink);
}

export function scenarioOn(stack: TestStack, sink: Sink): Scenario {
  const url = `${stack.host.url}/api`;
  const api = createApiClient(stack.host.url, stack.apiKey);
  return {
    stack,
    api,
    sink,
    url,
    connect: async (settings = {}) => {
      const secret = `secret-${randomUUID()}`;
      const body = { name: "repository", source: "github", secret, ...settings };
      const { body: made } = await api.request("POST", "/api/v1/connections", { body });
      const { connectionId } = made as { connectionId: string };
      return { connectionId, secret, deliver: (delivery) => deliver(url, connectionId, secret, delivery) };
    },
    configure: async (routes, more = {}) => {
      const config = { routes, endpoints: { sink: { url: sink.url } }, ...more } as unknown as RouteConfig;
      for (const { routeName } of config.routes) {
        if (effectiveRoute(config, routeName) === undefined)
          throw new Error(`Route ${routeName} is incomplete`);
      }
      const table = await stack.platform.table(routeConfigsTable);
      const head = await putConfig(table, "demo", config, { by: "test", now: new Date() });
      return head.hash;
    },
    stop: async () => {
      await Promise.all([stack.stop(), sink.stop()]);
    },
  };
}

export function pullRequest(number = 1, more: object = {}): object {
  return {
    action: "opened",
    number,
    pull_request: {
      id: 1000 + number,
      node_id: `PR_${number}`,
      number,
      title: `Change ${number}`,
      state: "open",
      html_url: `https://github.com/acme/shop/pull/${number}`,
      labels: [{ name: "urgent" }],
      created_at: "2026-11-18T10:00:00Z",
      updated_at: "2026-11-18T10:00:00Z",
    },
    repository: { id: 7, full_name: "acme/shop", name: "shop" },
    sender: { id: 1, login: "octocat" },
    ...more,
  };
}

export const pullRequestRoute = {
  routeName: "pr-to-sink",
  enabled: true,
  subject: "github.events.pull_request.opened",
  endpointKey: "sink",
  operation: {
    kind: "generic-http",
    method: "POST",
    path: "/orders",
    body: { title: "{{data.pull_request.title}}" },
  },
};

async function deliver(
  url: string,
  connectionId: string,
  secret: string,
  { event = "pull_request", id = randomUUID(), payload = pullRequest(), body, headers = {} }: Delivery = {},
): Promise<Response> {
  const bytes = body ?? Buffer.from(JSON.stringify(payload));
  const signature = createHmac("sha256", secret).update(bytes).digest("hex");
  return fetch(`${url}/hooks/${connectionId}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "GitHub-Hookshot/044aadd",
      "x-github-event": event,
      "x-github-delivery": id,
      "x-hub-signature-256": `sha256=${signature}`,
      ...headers,
    },
    body: bytes,
  });
}
