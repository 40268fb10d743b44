import { expect, test } from "vitest";

import { vaultClient, vaultForTest } from "../../support/vault-client.ts";

test("secrets: challenge: a request without a token is answered 401 and names authority and resource", async () => {
  const { vault } = await vaultForTest();
  const response = await fetch(`${vault.url}/secrets/x?api-version=2025-07-01`, { method: "PUT" });
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toMatch(
    /^Bearer authorization="https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}", resource="https:\/\/vault\.azure\.net"$/,
  );
  expect(await response.json()).toMatchObject({ error: { code: "Unauthorized" } });
});

test("secrets: challenge: a client's very first call arrives with its body", async () => {
  const { vault, client } = await vaultForTest();
  await client.setSecret("first", "the body");
  expect((await vaultClient(vault.url).getSecret("first")).value).toBe("the body");
});

test("secrets: concurrency: 32 sets of one cold client all store their own value", async () => {
  const { client } = await vaultForTest();
  const numbers = Array.from({ length: 32 }, (_, n) => n);
  await Promise.all(numbers.map((n) => client.setSecret(`cold-${n}`, `value ${n}`)));
  const read = await Promise.all(numbers.map((n) => client.getSecret(`cold-${n}`)));
  expect(read.map(({ value }) => value)).toEqual(numbers.map((n) => `value ${n}`));
});

test("secrets: concurrency: 32 sets of one name make 32 versions, of which one is the latest", async () => {
  const { client } = await vaultForTest();
  const made = await Promise.all(Array.from({ length: 32 }, (_, n) => client.setSecret("one", `${n}`)));
  const versions = new Map(made.map(({ properties, value }) => [properties.version, value]));
  expect(versions.size).toBe(32);
  const { properties, value } = await client.getSecret("one");
  expect(versions.get(properties.version)).toBe(value);
});

test("secrets: request: an api-version is required, and other methods and paths answer 501", async () => {
  const { vault } = await vaultForTest();
  const status = async (method: string, path: string): Promise<number> => {
    const headers = { authorization: "Bearer local" };
    return (await fetch(`${vault.url}${path}`, { method, headers })).status;
  };
  expect(await status("GET", "/secrets")).toBe(400);
  expect(await status("GET", "/secrets?api-version=7.5")).toBe(200);
  expect(await status("GET", "/keys?api-version=7.5")).toBe(501);
  expect(await status("GET", "/secrets/%E0%A4?api-version=7.5")).toBe(400);
});

test("secrets: request: a body that is not JSON answers 400 and is not quoted", async () => {
  const { vault } = await vaultForTest();
  const response = await fetch(`${vault.url}/secrets/x?api-version=7.5`, {
    method: "PUT",
    headers: { authorization: "Bearer local" },
    body: '{"value": "hunter2',
  });
  expect(response.status).toBe(400);
  expect(await response.text()).not.toContain("hunter2");
});
