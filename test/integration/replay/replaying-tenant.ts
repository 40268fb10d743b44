import { randomUUID } from "node:crypto";

import { expect } from "vitest";

import { createApiClient, type ApiAnswer } from "../../support/api-client.ts";
import { issueKey } from "../../support/issue-key.ts";
import { pullRequest, pullRequestRoute, type Scenario, scenarioOn } from "../../support/scenario.ts";
import type { Sink } from "../../support/sink.ts";
import type { TestStack } from "../../support/test-stack.ts";
import { until } from "../../support/until.ts";

export interface ShownFailure {
  readonly failureId: string;
  readonly state: string;
  readonly classification: string;
  readonly attempts: number;
  readonly lastError: { readonly code: string; readonly message: string };
  readonly correlationId: string;
  readonly replayId?: string;
  readonly nextAction: string;
}

export interface ShownReplay {
  readonly replayId: string;
  readonly state: string;
  readonly total: number;
  readonly more: boolean;
  readonly stage: number;
  readonly reached: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly reason?: string;
}

export interface JudgedItem {
  readonly failureId?: string;
  readonly verdict: string;
  readonly detail: string;
  readonly works: readonly {
    readonly routeName: string;
    readonly verdict: string;
    readonly attempt: number;
    readonly request?: { readonly method: string; readonly url: string; readonly body?: string };
    readonly changes?: readonly {
      readonly path: string;
      readonly before?: string;
      readonly after?: string;
    }[];
    readonly done?: { readonly sideEffectRef: string; readonly at?: string };
  }[];
}

export interface DryRun {
  readonly items: readonly JudgedItem[];
  readonly summary: Readonly<Record<string, number>>;
  readonly more: boolean;
  readonly nextCursor?: string;
}

/** A tenant with routes, a hook and dead letters of its own, and the calls a person makes about them. */
export interface ReplayingTenant extends Scenario {
  readonly tenantId: string;
  readonly connectionId: string;
  readonly put: (routes: readonly object[], more?: object) => Promise<string>;
  /** Answers with the correlation id. */
  readonly deliver: (payload?: object, id?: string) => Promise<string>;
  readonly get: <T>(path: string) => Promise<T>;
  readonly post: (path: string, body?: object) => Promise<ApiAnswer>;
  readonly failure: (failureId: string) => Promise<ShownFailure>;
  /** So many failures in the state. */
  readonly failures: (count: number, state?: string) => Promise<readonly ShownFailure[]>;
  readonly dryRun: (body: object) => Promise<DryRun>;
  readonly start: (body: object) => Promise<ShownReplay>;
  readonly over: (replayId: string) => Promise<ShownReplay>;
  /** A real run, to its end. */
  readonly replay: (body: object) => Promise<ShownReplay>;
  readonly timeline: (correlationId: string) => Promise<readonly string[]>;
}

export async function newTenant(
  stack: TestStack,
  sink: Sink,
  connection: object = {},
): Promise<ReplayingTenant> {
  const tenantId = `t-${randomUUID().slice(0, 8)}`;
  const apiKey = await issueKey(stack.platform, { tenantId });
  const scenario = scenarioOn({ ...stack, apiKey }, sink);
  const { api } = scenario;
  const hook = await scenario.connect(connection);
  const get = async <T>(path: string): Promise<T> => {
    const answer = await api.request("GET", `/api/v1/${path}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as T;
  };
  const post = (path: string, body?: object): Promise<ApiAnswer> =>
    api.request("POST", `/api/v1/${path}`, body && { body });
  const start = async (body: object): Promise<ShownReplay> => {
    const answer = await post("replays", { ratePerMinute: 6000, ...body, dryRun: false });
    expect(answer.status, answer.text).toBe(202);
    return answer.body as ShownReplay;
  };
  const over = (replayId: string): Promise<ShownReplay> =>
    until(`replay ${replayId} to end`, async () => {
      const replay = await get<ShownReplay>(`replays/${replayId}`);
      return ["Completed", "Stopped", "Cancelled"].includes(replay.state) ? replay : undefined;
    });
  return {
    ...scenario,
    tenantId,
    connectionId: hook.connectionId,
    get,
    post,
    start,
    over,
    put: async (routes, more = {}) => {
      const body = { routes, endpoints: { sink: { url: sink.url } }, ...more };
      const answer = await api.request("PUT", "/api/v1/config/routes", { body });
      expect(answer.status, answer.text).toBe(200);
      return (answer.body as { hash: string }).hash;
    },
    deliver: async (payload = pullRequest(), id = randomUUID()) => {
      const response = await hook.deliver({ payload, id });
      return ((await response.json()) as { correlationId: string }).correlationId;
    },
    failure: (failureId) => get(`failures/${failureId}`),
    failures: (count, state = "Parked") =>
      until(`${count} failures to be ${state}`, async () => {
        const { items } = await get<{ items: ShownFailure[] }>(`failures?state=${state}&limit=200`);
        return items.length === count ? items : undefined;
      }),
    dryRun: async (body) => {
      const answer = await post("replays", body);
      expect(answer.status, answer.text).toBe(200);
      return answer.body as DryRun;
    },
    replay: async (body) => over((await start(body)).replayId),
    timeline: async (correlationId) => {
      const { timeline } = await get<{ timeline: { kind: string }[] }>(`correlations/${correlationId}`);
      return timeline.map(({ kind }) => kind);
    },
  };
}

/** As another of the tenant's people. */
export async function as(
  tenant: ReplayingTenant,
  role: "viewer" | "operator",
): Promise<ReturnType<typeof createApiClient>> {
  const { stack, tenantId } = tenant;
  return createApiClient(stack.host.url, await issueKey(stack.platform, { tenantId, role }));
}

/** A route to a path of its own at the sink; what fails there is not tried again. */
export function routeTo(path: string, changes: object = {}, operation: object = {}): typeof pullRequestRoute {
  const base = { ...pullRequestRoute.operation, path, sideEffectRefPath: "id", ...operation };
  return {
    ...pullRequestRoute,
    routeName: path.slice(1).replaceAll("/", "-"),
    operation: base,
    retryProfile: "NONE",
    ...changes,
  } as typeof pullRequestRoute;
}
