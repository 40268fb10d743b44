import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createConnectionCache } from "../../../shared/connections/connection-cache.ts";
import { hookSecretName } from "../../../shared/connections/connection.ts";
import { connectionsTable } from "../../../shared/ledgers/connections.ts";
import { sources } from "../../../shared/sources/sources.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { collect } from "../../support/collect.ts";
import { issueKey } from "../../support/issue-key.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";

const lines: string[] = [];
let stack: TestStack;
let api: ApiClient;

beforeAll(async () => {
  stack = await startTestStack({ log: ({ message }) => void lines.push(message) });
  api = createApiClient(stack.host.url, stack.apiKey);
});

afterAll(() => stack.stop());

interface Shown {
  readonly connectionId: string;
  readonly hookUrl: string;
  readonly secretVersions: string[];
  readonly secret?: string;
  readonly version?: string;
}

/** What a source cannot do without. */
const needs: Readonly<Record<string, object>> = {
  generic: {
    schemeConfig: { header: "x-signature" },
    normaliserConfig: { name: "shop", eventType: { path: "type" }, objectId: { path: "id" } },
  },
};

async function create(body: object = {}): Promise<Shown> {
  const given = { name: "Our repositories", source: "github", ...body };
  const answer = await api.request("POST", "/api/v1/connections", { body: given });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Shown;
}

describe("connections", () => {
  test.each(Object.keys(sources))(
    "can be made for the source %s, with a secret of its form",
    async (source) => {
      const { secret, secretVersions, connectionId } = await create({ source, ...needs[source] });
      expect(secret).toBeDefined();
      const [version = ""] = secretVersions;
      const kept = await (
        await stack.platform.secrets()
      ).getSecret(hookSecretName(connectionId), { version });
      expect(kept.value).toBe(secret);
    },
  );

  test("have an address nobody can guess, below the API's own", async () => {
    const { connectionId, hookUrl } = await create();
    expect(connectionId).toMatch(/^[0-9a-f]{32}$/);
    expect(hookUrl).toBe(`${stack.host.url}/api/hooks/${connectionId}`);
  });

  test("SEC-03: a secret is in the vault, and in no answer, table, log or audit", async () => {
    const secret = "correct horse battery staple";
    const made = await create({ secret });
    await api.request("POST", `/api/v1/connections/${made.connectionId}/secrets`, {
      body: { secret: `${secret}2` },
    });
    const answers = await Promise.all([
      api.request("GET", `/api/v1/connections/${made.connectionId}`),
      api.request("GET", "/api/v1/connections"),
      api.request("GET", "/api/v1/audit"),
    ]);
    const rows = await collect((await stack.platform.table(connectionsTable)).listEntities());
    expect(JSON.stringify([made, ...answers.map(({ text }) => text), rows, lines])).not.toContain(
      "horse battery",
    );
  });

  test("show what they were given, and what goes without saying", async () => {
    const { connectionId } = await create({ allowedIps: ["192.30.252.0/22", "2a0a:a440::/29"] });
    const { body, headers } = await api.request("GET", `/api/v1/connections/${connectionId}`);
    expect(body).toMatchObject({
      source: "github",
      scheme: "github",
      pattern: "specific",
      onUnmatched: "ignore",
      allowedIps: ["192.30.252.0/22", "2a0a:a440::/29"],
      maxBodyBytes: 26_214_400,
      enabled: true,
    });
    expect(headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/);
  });

  test.each([
    ["an unknown source", { source: "nowhere" }, "body.source"],
    ["a scheme that is not the source's", { scheme: "slack" }, "body.scheme"],
    ["a secret the scheme cannot use", { source: "stripe", secret: "sk_live_x" }, "body.secret"],
    ["a blank secret", { secret: "   " }, "body.secret"],
    ["settings for a scheme that has none", { schemeConfig: {} }, "body.schemeConfig"],
    ["settings that are missing", { source: "generic" }, "body.schemeConfig.header"],
    ["an address that is none", { allowedIps: ["10.0.0.0/8", "10.0.0.300"] }, "body.allowedIps[1]"],
    ["a prefix that is too long", { allowedIps: ["10.0.0.0/33"] }, "body.allowedIps[0]"],
    ["a body larger than the ingest takes", { maxBodyBytes: 26_214_401 }, "body.maxBodyBytes"],
    ["a field nobody knows", { colour: "red" }, "body.colour"],
  ])("ING-03: %s is refused, with where it stands", async (_, change, path) => {
    const body = { name: "x", source: "github", ...change };
    const answer = await api.request("POST", "/api/v1/connections", { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "request-invalid", errors: [{ path }] });
  });

  test("change only in what is named, and only in what was read where that is asked for", async () => {
    const { connectionId } = await create({
      rateLimit: { maxEventsPerMinute: 60, burstAllowance: 5, backoffOnLimit: true },
    });
    const path = `/api/v1/connections/${connectionId}`;
    const before = (await api.request("GET", path)).headers.get("etag") ?? "";
    const first = await api.request("PATCH", path, {
      body: { enabled: false },
      headers: { "if-match": before },
    });
    expect(first.body).toMatchObject({ enabled: false, rateLimit: { maxEventsPerMinute: 60 } });
    const late = await api.request("PATCH", path, { body: { name: "x" }, headers: { "if-match": before } });
    expect(late.body).toMatchObject({ status: 412, code: "precondition-failed" });
    const unlimited = await api.request("PATCH", path, { body: { rateLimit: null } });
    expect(unlimited.body).toMatchObject({ name: "Our repositories", enabled: false });
    expect(unlimited.body).not.toHaveProperty("rateLimit");
  });

  test("keep every one of many changes at once", async () => {
    const { connectionId } = await create();
    const changes = [
      { name: "renamed" },
      { pattern: "generic" },
      { onUnmatched: "dead-letter" },
      { enabled: false },
    ];
    await Promise.all(
      changes.map((body) => api.request("PATCH", `/api/v1/connections/${connectionId}`, { body })),
    );
    const { body } = await api.request("GET", `/api/v1/connections/${connectionId}`);
    expect(body).toMatchObject(Object.assign({}, ...changes) as object);
  });

  test("are listed in pages, each once", async () => {
    const key = await issueKey(stack.platform, { tenantId: "paged" });
    const paged = createApiClient(stack.host.url, key);
    for (let count = 0; count < 5; count++) {
      await paged.request("POST", "/api/v1/connections", { body: { name: `c${count}`, source: "github" } });
    }
    const names: string[] = [];
    let query = "?limit=2";
    let pages = 0;
    for (;;) {
      pages++;
      const { body } = await paged.request("GET", `/api/v1/connections${query}`);
      const { items, nextCursor } = body as { items: { name: string }[]; nextCursor?: string };
      names.push(...items.map(({ name }) => name));
      if (nextCursor === undefined) break;
      query = `?limit=2&cursor=${nextCursor}`;
    }
    expect(pages).toBe(3);
    expect(names.toSorted()).toEqual(["c0", "c1", "c2", "c3", "c4"]);
  });
});

describe("the secrets of a connection", () => {
  test("are two while one is replaced, and never none", async () => {
    const { connectionId, secretVersions } = await create({ secret: "first" });
    const [first = ""] = secretVersions;
    const path = `/api/v1/connections/${connectionId}/secrets`;
    const cache = (): ReturnType<typeof createConnectionCache> =>
      createConnectionCache(stack.platform, { maxAgeMs: 5_000 });

    const added = await api.request("POST", path, { body: { secret: "second" } });
    const { version = "" } = added.body as Shown;
    expect(added.status).toBe(201);
    expect((await cache().find(connectionId))?.secrets).toEqual(["first", "second"]);
    expect((await api.request("POST", path, { body: {} })).body).toMatchObject({ code: "conflict" });

    expect((await api.request("DELETE", `${path}/${first}`)).status).toBe(204);
    expect((await cache().find(connectionId))?.secrets).toEqual(["second"]);
    const last = await api.request("DELETE", `${path}/${version}`);
    expect(last.body).toMatchObject({
      status: 409,
      detail: expect.stringContaining("add the new one first") as string,
    });
    expect((await api.request("DELETE", `${path}/${first}`)).status).toBe(404);
    const vault = await stack.platform.secrets();
    await expect(vault.getSecret(hookSecretName(connectionId), { version: first })).rejects.toMatchObject({
      statusCode: 403,
    });
  });
});

describe("a connection that is deleted", () => {
  test("has no hook and no secrets any more, and is kept for the history", async () => {
    const { connectionId } = await create();
    const path = `/api/v1/connections/${connectionId}`;
    expect((await api.request("DELETE", path)).status).toBe(204);
    expect((await api.request("DELETE", path)).status, "again").toBe(204);
    expect((await api.request("GET", path)).body).toMatchObject({ enabled: false, secretVersions: [] });
    const { text } = await api.request("GET", "/api/v1/connections?limit=200");
    expect(text).not.toContain(connectionId);
    expect((await api.request("PATCH", path, { body: { enabled: true } })).status).toBe(409);
    expect((await api.request("POST", `${path}/secrets`, { body: {} })).status).toBe(409);
    const cache = createConnectionCache(stack.platform, { maxAgeMs: 5_000 });
    expect(await cache.find(connectionId)).toBeUndefined();
    const vault = await stack.platform.secrets();
    await expect(vault.getSecret(hookSecretName(connectionId))).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe("the connection cache", () => {
  test("sees a change when its time is over, and asks once for all who ask together", async () => {
    const { connectionId } = await create();
    let reads = 0;
    let now = 0;
    const counted = {
      ...stack.platform,
      table: (name: string) => {
        reads++;
        return stack.platform.table(name);
      },
    };
    const cache = createConnectionCache(counted, { maxAgeMs: 5_000, clock: () => now });
    const found = await Promise.all(Array.from({ length: 20 }, () => cache.find(connectionId)));
    expect(new Set(found).size).toBe(1);
    expect(reads).toBe(2);
    await api.request("PATCH", `/api/v1/connections/${connectionId}`, { body: { enabled: false } });
    now = 4_999;
    expect((await cache.find(connectionId))?.connection.enabled).toBe(true);
    now = 5_000;
    expect((await cache.find(connectionId))?.connection.enabled).toBe(false);
  });

  test("refuses what was guessed without reading again, and what no id looks like without reading at all", async () => {
    let reads = 0;
    const counted = {
      ...stack.platform,
      table: (name: string) => {
        reads++;
        return stack.platform.table(name);
      },
    };
    const cache = createConnectionCache(counted, { maxAgeMs: 5_000 });
    for (const id of ["0".repeat(32), "0".repeat(32), "../x", ""])
      expect(await cache.find(id)).toBeUndefined();
    expect(reads).toBe(1);
  });
});
