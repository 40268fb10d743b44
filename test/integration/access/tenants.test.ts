import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type ApiAnswer, type ApiClient, createApiClient } from "../../support/api-client.ts";
import { issueKey } from "../../support/issue-key.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";

let stack: TestStack;
let owner: ApiClient;
let other: ApiClient;
let connectionId = "";
let version = "";

const unknownId = "0123456789abcdef0123456789abcdef";

beforeAll(async () => {
  stack = await startTestStack();
  owner = createApiClient(stack.host.url, stack.apiKey);
  other = createApiClient(stack.host.url, await issueKey(stack.platform, { tenantId: "other" }));
  const { body } = await owner.request("POST", "/api/v1/connections", {
    body: { name: "ours", source: "github" },
  });
  ({
    connectionId,
    secretVersions: [version],
  } = body as { connectionId: string; secretVersions: [string] });
  await owner.request("PUT", "/api/v1/secrets/ours", { body: { value: "secret" } });
});

afterAll(() => stack.stop());

function withoutCorrelation({ text, headers }: ApiAnswer): string {
  return text.replaceAll(headers.get("x-correlation-id") ?? "", "");
}

describe("SEC-01: another tenant's id", () => {
  test.each([
    ["GET", "/api/v1/connections/{id}", undefined],
    ["PATCH", "/api/v1/connections/{id}", { enabled: false }],
    ["DELETE", "/api/v1/connections/{id}", undefined],
    ["POST", "/api/v1/connections/{id}/secrets", {}],
    ["DELETE", "/api/v1/connections/{id}/secrets/{version}", undefined],
  ])("%s %s answers as for an id that never was, byte for byte", async (method, path, body) => {
    const answers = await Promise.all(
      [connectionId, unknownId].map((id) =>
        other.request(method, path.replace("{id}", id).replace("{version}", version), { body }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    const [theirs, unknown] = answers.map(withoutCorrelation);
    expect(theirs).toBe(unknown);
  });

  test("is left as it was by all of that, and is in no list of the other's", async () => {
    const { body } = await owner.request("GET", `/api/v1/connections/${connectionId}`);
    expect(body).toMatchObject({ enabled: true, secretVersions: [version] });
    const lists = ["/api/v1/connections", "/api/v1/secrets", "/api/v1/api-keys"];
    for (const path of lists) expect((await other.request("GET", path)).text).not.toContain("ours");
  });

  test("a secret's name leads to the caller's own secret alone", async () => {
    expect((await other.request("DELETE", "/api/v1/secrets/ours")).status).toBe(404);
    const { body } = await owner.request("GET", "/api/v1/secrets");
    expect(body).toMatchObject({ items: [{ name: "ours" }] });
  });
});
