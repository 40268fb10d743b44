import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type ApiAnswer, type ApiClient, createApiClient } from "../../support/api-client.ts";
import { issueKey } from "../../support/issue-key.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";

let stack: TestStack;
let api: ApiClient;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack?.stop());

const routes = "/api/v1/config/routes";

const route = {
  routeName: "PR_TO_CHAT",
  enabled: true,
  subject: "github.events.pull_request.opened",
  endpointKey: "chat",
  operation: {
    kind: "generic-http",
    method: "POST",
    path: "/messages",
    idempotencyHeader: "Idempotency-Key",
  },
};
const endpoints = { chat: { url: "https://chat.example/api" } };
const config = { routes: [route], endpoints };

interface Replaced {
  readonly hash: string;
  readonly version: number;
  readonly created: boolean;
  readonly previousHash?: string;
  readonly warnings: readonly { readonly code: string; readonly path: string; readonly message: string }[];
  readonly diff: { readonly added: unknown[]; readonly removed: unknown[]; readonly changed: unknown[] };
}

/** Each test has a tenant of its own. */
async function newTenant(name: string): Promise<ApiClient> {
  api = createApiClient(stack.host.url, await issueKey(stack.platform, { tenantId: name }));
  return api;
}

async function put(body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  return api.request("PUT", routes, { body, headers });
}

async function replaced(body: unknown): Promise<Replaced> {
  const answer = await put(body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Replaced;
}

describe("RTE-04: the configuration of the routes", () => {
  test("is put into place, read back with its etag, and named by its hash", async () => {
    await newTenant("reads");
    expect((await api.request("GET", routes)).status).toBe(404);
    const first = await replaced(config);
    expect(first).toMatchObject({ version: 1, created: true, warnings: [] });
    expect(first.diff.added).toEqual([
      { kind: "endpoint", name: "chat" },
      { kind: "route", name: "PR_TO_CHAT" },
    ]);
    const read = await api.request("GET", routes);
    expect(read.body).toEqual({ hash: first.hash, version: 1, config });
    expect(read.headers.get("etag")).toBe(`"1-${first.hash}"`);
  });

  test("makes no new version of what is already in place, whatever the order of its keys", async () => {
    await newTenant("repeats");
    const first = await replaced(config);
    const again = await replaced({ endpoints, routes: [route] });
    expect(again).toMatchObject({ hash: first.hash, version: 1, created: false });
    expect(again.diff).toEqual({ added: [], removed: [], changed: [] });
  });

  test("is refused with everything that is wrong with it, each with its path", async () => {
    await newTenant("refused");
    const wrong = {
      routes: [
        { ...route, endpointKey: "chatt", retryProfile: "STANDRD" },
        { ...route, filters: [{ path: "a..b", operator: "Exists" }] },
      ],
      endpoints,
    };
    const answer = await put(wrong);
    expect(answer.status).toBe(400);
    const problem = answer.body as { code: string; errors: { path: string; message: string }[] };
    expect(problem.code).toBe("config-invalid");
    expect(problem.errors.map(({ path }) => path).toSorted()).toEqual([
      "routes[0].endpointKey",
      "routes[0].retryProfile",
      "routes[1].filters[0].path",
      "routes[1].routeName",
    ]);
    expect(problem.errors.find(({ path }) => path === "routes[0].endpointKey")?.message).toContain(
      "did you mean chat?",
    );
    expect((await api.request("GET", routes)).status).toBe(404);
  });

  test("says with the same problem that the form is wrong", async () => {
    await newTenant("form");
    const answer = await put({ routes: [{ routeName: "A" }], endpoint: {} });
    expect(answer.body).toMatchObject({ code: "config-invalid" });
    const { errors } = answer.body as { errors: { path: string }[] };
    expect(errors.map(({ path }) => path)).toContain("endpoint");
  });

  test("is validated without a change, with what would change", async () => {
    await newTenant("validates");
    await replaced(config);
    const changed = { routes: [{ ...route, enabled: false }], endpoints };
    const valid = await api.request("POST", `${routes}/validate`, { body: changed });
    expect(valid.body).toMatchObject({
      valid: true,
      errors: [],
      diff: {
        changed: [{ name: "PR_TO_CHAT", fields: [{ path: "enabled", before: true, after: false }] }],
      },
    });
    const invalid = await api.request("POST", `${routes}/validate`, { body: { routes: [{}] } });
    expect(invalid.body).toMatchObject({ valid: false });
    expect((await api.request("GET", routes)).body).toMatchObject({ version: 1 });
  });

  test("ING-10: warns of a misspelt subject with the one that was meant, and stores it all the same", async () => {
    await newTenant("misspelt");
    const { warnings } = await replaced({
      routes: [{ ...route, subject: "github.events.pull_reqest.opened" }],
      endpoints,
    });
    expect(warnings).toMatchObject([
      {
        code: "UNKNOWN_SUBJECT",
        path: "routes[0].subject",
        suggestion: "github.events.pull_request.opened",
      },
    ]);
  });

  test("RTE-02: warns of two routes that mean the same action at the same target", async () => {
    await newTenant("overlaps");
    const { warnings } = await replaced({
      routes: [route, { ...route, routeName: "PR_TO_CHAT_2", priority: 5 }],
      endpoints,
    });
    expect(warnings).toMatchObject([{ code: "SHADOWED_ROUTE", path: "routes[0]" }]);
    expect(warnings[0]?.message).toContain("PR_TO_CHAT_2");
  });

  test("is changed only as it was read, where If-Match says so", async () => {
    await newTenant("if-match");
    const first = await replaced(config);
    const etag = `"1-${first.hash}"`;
    const changed = { routes: [{ ...route, enabled: false }], endpoints };
    expect((await put(changed, { "if-match": etag })).status).toBe(200);
    const late = await put({ routes: [], endpoints }, { "if-match": etag });
    expect(late.body).toMatchObject({ code: "precondition-failed" });
  });

  test("keeps its history, every version of it, and can be rolled back", async () => {
    await newTenant("history");
    const first = await replaced(config);
    const second = await replaced({ routes: [{ ...route, enabled: false }], endpoints });
    expect(second.previousHash).toBe(first.hash);
    const body = { hash: first.hash, comment: "Too early" };
    const back = await api.request("POST", `${routes}/rollback`, { body });
    expect(back.body).toMatchObject({ hash: first.hash, version: 3, previousHash: second.hash });
    const versions = `${routes}/versions`;
    const page = await api.request("GET", `${versions}?limit=2`);
    const { items, nextCursor } = page.body as { items: { version: number }[]; nextCursor: string };
    expect(items).toMatchObject([
      { version: 3, hash: first.hash, comment: "Too early" },
      { version: 2, hash: second.hash },
    ]);
    const rest = await api.request("GET", `${versions}?limit=2&cursor=${nextCursor}`);
    expect((rest.body as { items: unknown[] }).items).toMatchObject([{ version: 1, hash: first.hash }]);
    expect((await api.request("GET", `${versions}/${second.hash}`)).body).toMatchObject({
      hash: second.hash,
      config: { routes: [{ enabled: false }] },
    });
    const unknown = await api.request("POST", `${routes}/rollback`, { body: { hash: "0".repeat(32) } });
    expect(unknown.status).toBe(404);
  });

  test("is promoted from one environment to the next by its hash, and refused when it was altered", async () => {
    await newTenant("qa");
    const { hash } = await replaced(config);
    const exported = await api.request("GET", `${routes}/export?comment=Release%207`);
    expect(exported.headers.get("content-disposition")).toContain(`-${hash.slice(0, 8)}.json"`);
    const artifact = exported.body as { hash: string; config: object };

    await newTenant("prod");
    const altered = { ...artifact, config: { ...config, routes: [] } };
    const refused = await api.request("POST", `${routes}/import`, { body: altered });
    expect(refused.body).toMatchObject({ code: "artifact-altered" });
    const imported = await api.request("POST", `${routes}/import`, { body: artifact });
    expect(imported.body).toMatchObject({ hash, version: 1 });
    const versions = await api.request("GET", `${routes}/versions`);
    const { items } = versions.body as { items: { promotedFrom: string; comment: string }[] };
    expect(items[0]?.promotedFrom).toMatch(new RegExp(`^\\w+:${hash}$`));
    expect(items[0]?.comment).toBe("Release 7");
  });

  test("is changed by administrators alone, and the audit says from what to what", async () => {
    const tenantId = "audited";
    await newTenant(tenantId);
    const first = await replaced(config);
    const second = await replaced({ routes: [], endpoints });
    const { body } = await api.request("GET", "/api/v1/audit");
    const { items } = body as { items: { action: string; phase: string; details: object }[] };
    expect(items.find(({ phase }) => phase === "done")).toMatchObject({
      action: "config.put",
      details: { hashBefore: first.hash, hashAfter: second.hash, removed: 1 },
    });
    for (const role of ["viewer", "operator"] as const) {
      const key = await issueKey(stack.platform, { tenantId, role });
      const lesser = createApiClient(stack.host.url, key);
      const calls = [
        ["PUT", routes, config],
        ["POST", `${routes}/rollback`, { hash: first.hash }],
        ["POST", `${routes}/import`, {}],
        ["POST", "/api/v1/routes/PR_TO_CHAT/disable", undefined],
        ["POST", "/api/v1/routes/PR_TO_CHAT/enable", undefined],
      ] as const;
      for (const [method, path, content] of calls) {
        const answer = await lesser.request(method, path, content && { body: content });
        expect(answer.status, path).toBe(403);
      }
      expect((await lesser.request("GET", routes)).status).toBe(200);
      expect((await lesser.request("POST", `${routes}/validate`, { body: config })).status).toBe(200);
    }
  });

  test("SEC-01: of another tenant is as if it were not there", async () => {
    await newTenant("theirs");
    const { hash } = await replaced(config);
    await newTenant("ours");
    expect((await api.request("GET", routes)).status).toBe(404);
    expect((await api.request("GET", `${routes}/versions/${hash}`)).status).toBe(404);
    expect((await api.request("POST", `${routes}/rollback`, { body: { hash } })).status).toBe(404);
    expect((await api.request("GET", `${routes}/versions`)).body).toEqual({ items: [] });
  });
});

describe("explaining the configuration", () => {
  const sample = {
    subject: "github.events.pull_request.opened",
    objectId: "acme/shop#1",
    data: { pull_request: { title: "A change", labels: [{ name: "bug" }] } },
  };
  const explained = {
    routes: [
      { ...route, operation: { ...route.operation, body: { text: "{{data.pull_request.title}}" } } },
      { ...route, routeName: "LOSES", priority: -1 },
      {
        ...route,
        routeName: "FILTERS",
        intendedAction: "urgent",
        filters: [{ path: "pull_request.labels[*].name", operator: "Equals", value: "urgent" }],
      },
      { ...route, routeName: "OFF", intendedAction: "off", enabled: false },
      { ...route, routeName: "OTHER", intendedAction: "other", subject: "github.events.push" },
    ],
    endpoints,
  };

  test("ING-12: says which routes a sample would take, which not, and what each filter saw", async () => {
    await newTenant("explains");
    const answer = await api.request("POST", `${routes}/explain`, { body: { sample, config: explained } });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      status: "ROUTED",
      routes: [
        {
          routeName: "PR_TO_CHAT",
          outcome: "RUNS",
          request: { method: "POST", url: "https://chat.example/api/messages", body: '{"text":"A change"}' },
        },
        { routeName: "LOSES", outcome: "SHADOWED", shadowedBy: "PR_TO_CHAT" },
        { routeName: "FILTERS", outcome: "FILTERED", filters: [{ holds: false, found: ["bug"] }] },
        { routeName: "OFF", outcome: "DISABLED" },
        { routeName: "OTHER", outcome: "NO_MATCH", unmet: [{ criterion: "subject" }] },
      ],
    });
  });

  test("goes by the configuration in place, or by an earlier version", async () => {
    await newTenant("explains-versions");
    const { hash } = await replaced(config);
    await replaced({ routes: [{ ...route, enabled: false }], endpoints });
    const now = await api.request("POST", `${routes}/explain`, { body: { sample } });
    expect(now.body).toMatchObject({ status: "SKIPPED", routes: [{ outcome: "DISABLED" }] });
    const then = await api.request("POST", `${routes}/explain`, { body: { sample, hash } });
    expect(then.body).toMatchObject({ status: "ROUTED", hash });
  });

  test("needs one event and a configuration that can be used", async () => {
    await newTenant("explains-nothing");
    const explain = async (body: object): Promise<unknown> =>
      (await api.request("POST", `${routes}/explain`, { body })).body;
    expect(await explain({ hash: "0".repeat(32) })).toMatchObject({ code: "request-invalid" });
    expect(await explain({ sample, hash: "0".repeat(32) })).toMatchObject({ code: "not-found" });
    expect(await explain({ sample, config: { routes: [{}] } })).toMatchObject({ code: "config-invalid" });
    expect(await explain({ sample, config, hash: "0".repeat(32) })).toMatchObject({
      code: "request-invalid",
    });
    expect(await explain({ eventId: "0".repeat(32), config })).toMatchObject({ code: "not-found" });
  });
});
