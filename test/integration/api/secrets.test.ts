import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createTenantSecrets } from "../../../shared/connections/tenant-secrets.ts";
import { tenantSecretsTable } from "../../../shared/ledgers/tenant-secrets.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { collect } from "../../support/collect.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";

let stack: TestStack;
let api: ApiClient;

beforeAll(async () => {
  stack = await startTestStack();
  api = createApiClient(stack.host.url, stack.apiKey);
});

afterAll(() => stack.stop());

const put = (name: string, value: string): Promise<unknown> =>
  api.request("PUT", `/api/v1/secrets/${name}`, { body: { value } });
const read = (name: string): Promise<string> => createTenantSecrets(stack.platform).read("demo", name);

describe("a tenant's secrets", () => {
  test("are read by their names, which the vault would not all take or tell apart", async () => {
    const names = ["tracker.token", "TRACKER_TOKEN", "tracker-token", "Tracker-Token", `a${"x".repeat(62)}`];
    for (const name of names) await put(name, `value of ${name}`);
    for (const name of names) expect(await read(name)).toBe(`value of ${name}`);
    const { body } = await api.request("GET", "/api/v1/secrets?limit=200");
    const listed = (body as { items: { name: string }[] }).items.map(({ name }) => name);
    expect(listed.toSorted()).toEqual(names.toSorted());
  });

  test("SEC-03: are in no answer and in no table", async () => {
    await put("hidden", "correct horse");
    const answers = await Promise.all(
      ["secrets", "audit"].map((path) => api.request("GET", `/api/v1/${path}`)),
    );
    const rows = await collect((await stack.platform.table(tenantSecretsTable)).listEntities());
    expect(JSON.stringify([answers.map(({ text }) => text), rows])).not.toContain("correct horse");
  });

  test("have their new value once what was read before is a minute old", async () => {
    let now = 0;
    const secrets = createTenantSecrets(stack.platform, () => now);
    await put("renewed", "old");
    expect(await secrets.read("demo", "renewed")).toBe("old");
    await put("renewed", "new");
    now = 59_999;
    expect(await secrets.read("demo", "renewed")).toBe("old");
    now = 60_000;
    expect(await secrets.read("demo", "renewed")).toBe("new");
  });

  test("are gone when they are removed, and can be made anew", async () => {
    await put("brief", "one");
    expect((await api.request("DELETE", "/api/v1/secrets/brief")).status).toBe(204);
    await expect(read("brief")).rejects.toMatchObject({ name: "SecretMissing", statusCode: 404 });
    expect((await api.request("DELETE", "/api/v1/secrets/brief")).status).toBe(404);
    await put("brief", "two");
    expect(await read("brief")).toBe("two");
  });

  test("end up as one of those who write at once left them", async () => {
    const values = Array.from({ length: 4 }, (_, index) => `value ${index}`);
    const answers = await Promise.all(
      values.map((value) => api.request("PUT", "/api/v1/secrets/contested", { body: { value } })),
    );
    expect(values).toContain(await read("contested"));
    for (const { status } of answers) expect([200, 409]).toContain(status);
  });

  test.each(["1st", "a b", "a/b", "", `a${"x".repeat(63)}`])("cannot be called '%s'", async (name) => {
    const path = `/api/v1/secrets/${encodeURIComponent(name)}`;
    const response = await fetch(`${stack.host.url}${path}`, {
      method: "PUT",
      headers: { "x-api-key": stack.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ value: "x" }),
    });
    expect([400, 404]).toContain(response.status);
  });
});
