import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createAuthenticate } from "../../../shared/access/authenticate.ts";
import { apiKeysTable, disableApiKey, listApiKeys } from "../../../shared/ledgers/api-keys.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { issueKey } from "../../support/issue-key.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";

let stack: TestStack;
let api: ApiClient;

beforeAll(async () => {
  stack = await startTestStack();
  api = createApiClient(stack.host.url, stack.apiKey);
});

afterAll(() => stack.stop());

interface Issued {
  readonly keyId: string;
  readonly apiKey: string;
}

const idOf = (apiKey: string): string => apiKey.split("_")[1] ?? "";

async function issue(body: object): Promise<Issued> {
  const answer = await api.request("POST", "/api/v1/api-keys", { body: { name: "test", ...body } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Issued;
}

describe("SEC-02: API keys", () => {
  test("are issued for a role, work at once, and are shown once", async () => {
    const { keyId, apiKey } = await issue({ role: "operator", name: "pipeline" });
    const { body } = await createApiClient(stack.host.url, apiKey).request("GET", "/api/v1/me");
    expect(body).toEqual({ tenant: { id: "demo", name: "Demo" }, key: { id: keyId, role: "operator" } });
    const { body: list, text } = await api.request("GET", "/api/v1/api-keys");
    expect(list).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ keyId, name: "pipeline", disabled: false }),
      ]) as object,
    });
    expect(text).not.toContain(apiKey.slice(-43));
    expect(text).not.toContain("secretHash");
  });

  test("do nothing any more once they are disabled, on a host that has not seen them", async () => {
    const { keyId, apiKey } = await issue({ role: "viewer" });
    expect((await api.request("DELETE", `/api/v1/api-keys/${keyId}`)).status).toBe(204);
    expect((await api.request("DELETE", `/api/v1/api-keys/${keyId}`)).status, "again").toBe(204);
    const refused = await createApiClient(stack.host.url, apiKey).request("GET", "/api/v1/me");
    expect(refused.body).toMatchObject({ status: 401, code: "api-key-invalid" });
  });

  test("do nothing any more once they are disabled, after five seconds on a host that has", async () => {
    const table = await stack.platform.table(apiKeysTable);
    const apiKey = await issueKey(stack.platform, { role: "viewer", tenantId: "cached" });
    const authenticate = createAuthenticate(() => Promise.resolve(table));
    const at = (seconds: number): Promise<object> =>
      authenticate(new Headers({ "x-api-key": apiKey }), new Date(seconds * 1_000));
    await at(0);
    await disableApiKey(table, "cached", idOf(apiKey), new Date());
    expect(await at(4.9)).toMatchObject({ tenantId: "cached" });
    await expect(at(5)).rejects.toMatchObject({ code: "api-key-invalid" });
  });

  test("expire when they say so, to the moment", async () => {
    const table = await stack.platform.table(apiKeysTable);
    const apiKey = await issueKey(stack.platform, { expiresAt: new Date(3_000) });
    const authenticate = createAuthenticate(() => Promise.resolve(table));
    const at = (milliseconds: number): Promise<object> =>
      authenticate(new Headers({ "x-api-key": apiKey }), new Date(milliseconds));
    expect(await at(2_999)).toMatchObject({ keyId: idOf(apiKey) });
    await expect(at(3_000)).rejects.toMatchObject({ code: "api-key-invalid" });
  });

  test.each(["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "tomorrow"])(
    "cannot be made to expire at %s",
    async (expiresAt) => {
      const body = { name: "x", role: "viewer", expiresAt };
      const answer = await api.request("POST", "/api/v1/api-keys", { body });
      expect(answer.body).toMatchObject({ status: 400, errors: [{ path: "body.expiresAt" }] });
    },
  );

  test("cannot be used up: the last lasting administrator stays", async () => {
    const first = await issueKey(stack.platform, { tenantId: "lonely" });
    await issueKey(stack.platform, { tenantId: "lonely", expiresAt: new Date(Date.now() + 3_600_000) });
    await issueKey(stack.platform, { tenantId: "lonely", role: "operator" });
    const lonely = createApiClient(stack.host.url, first);
    const refused = await lonely.request("DELETE", `/api/v1/api-keys/${idOf(first)}`);
    expect(refused.body).toMatchObject({ status: 409, code: "conflict" });
    await issueKey(stack.platform, { tenantId: "lonely" });
    expect((await lonely.request("DELETE", `/api/v1/api-keys/${idOf(first)}`)).status).toBe(204);
  });

  test("cannot be used up by administrators who disable each other at once", async () => {
    const table = await stack.platform.table(apiKeysTable);
    const keys = await Promise.all(
      Array.from({ length: 6 }, () => issueKey(stack.platform, { tenantId: "feud" })),
    );
    const now = new Date();
    const outcomes = await Promise.all(keys.map((key) => disableApiKey(table, "feud", idOf(key), now)));
    expect(outcomes.filter((outcome) => outcome === "disabled")).toHaveLength(5);
    const left = (await listApiKeys(table, "feud", "", 100)).filter(({ disabled }) => !disabled);
    expect(left).toHaveLength(1);
  });

  test("are found by their own tenant alone: another's is as one that never was (SEC-01)", async () => {
    const theirs = idOf(await issueKey(stack.platform, { tenantId: "other" }));
    const answers = await Promise.all(
      [theirs, "0123456789abcdef"].map((id) => api.request("DELETE", `/api/v1/api-keys/${id}`)),
    );
    const texts = answers.map(({ text, headers }) =>
      text.replaceAll(headers.get("x-correlation-id") ?? "", ""),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(texts[0]).toBe(texts[1]);
    const { text } = await api.request("GET", "/api/v1/api-keys?limit=200");
    expect(text).not.toContain(theirs);
  });
});
