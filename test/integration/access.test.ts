import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { formatApiKey, hashSecret, newApiKey } from "../../shared/access/api-key.ts";
import { apiKeysTable, issueApiKey } from "../../shared/ledgers/api-keys.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack.stop());

const me = (headers: Record<string, string>): Promise<Response> =>
  fetch(`${stack.host.url}/api/v1/me`, { headers });

async function issue(change: { tenantId?: string; disabled?: boolean }): Promise<string> {
  const key = newApiKey();
  await issueApiKey(await stack.platform.table(apiKeysTable), key.id, {
    tenantId: "acme",
    role: "viewer",
    secretHash: hashSecret(key.secret),
    createdAt: new Date(),
    disabled: false,
    ...change,
  });
  return formatApiKey(key);
}

describe("access by API key (SEC-02)", () => {
  test("a caller is told its tenant and role, with the key in either header", async () => {
    const expected = { tenant: { id: "demo", name: "Demo" }, key: { role: "admin" } };
    expect(await (await me({ "x-api-key": stack.apiKey })).json()).toMatchObject(expected);
    expect(await (await me({ authorization: `Bearer ${stack.apiKey}` })).json()).toMatchObject(expected);
  });

  test("a key speaks for its own tenant alone (SEC-01)", async () => {
    const key = await issue({ tenantId: "acme" });
    expect(await (await me({ "x-api-key": key })).json()).toMatchObject({
      tenant: { id: "acme" },
      key: { role: "viewer" },
    });
  });

  test.each([
    ["no key", () => ({}), "api-key-missing"],
    ["a text that is no key", () => ({ "x-api-key": "secret" }), "api-key-invalid"],
    ["an unknown key", () => ({ "x-api-key": formatApiKey(newApiKey()) }), "api-key-invalid"],
    ["a wrong secret", () => ({ "x-api-key": `${stack.apiKey.slice(0, -1)}!` }), "api-key-invalid"],
    [
      "the secret of another key",
      () => ({ "x-api-key": stack.apiKey.slice(0, 21) + newApiKey().secret }),
      "api-key-invalid",
    ],
  ])("%s is answered with a problem that says what to do", async (_, headers, code) => {
    const response = await me(headers());
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const problem = (await response.json()) as Record<string, unknown>;
    expect(problem).toMatchObject({ type: `urn:interlock:fault:${code}`, status: 401, code });
    expect(problem["correlationId"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(problem["remedy"]).not.toBe("");
  });

  test("a disabled key is refused in the same words as an unknown one", async () => {
    const disabled = (await (await me({ "x-api-key": await issue({ disabled: true }) })).json()) as object;
    const unknown = (await (await me({ "x-api-key": formatApiKey(newApiKey()) })).json()) as object;
    expect({ ...disabled, correlationId: "" }).toEqual({ ...unknown, correlationId: "" });
  });

  test("the table holds a hash and never the secret (SEC-03)", async () => {
    const [, id = "", secret = ""] = /^ilk_([^_]+)_(.+)$/.exec(stack.apiKey) ?? [];
    const row = await (await stack.platform.table(apiKeysTable)).getEntity(id, "key");
    expect(row["secretHash"]).toBe(hashSecret(secret));
    expect(JSON.stringify(row)).not.toContain(secret);
  });
});
