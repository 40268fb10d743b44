import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { allEndpoints } from "../../../shared/api/all-endpoints.ts";
import { nameFailure } from "../../../shared/api/unavailable.ts";
import { apiKeysTable, findApiKey } from "../../../shared/ledgers/api-keys.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { apiDocument } from "../../support/api-contract.ts";
import { noRetries, tableNamed } from "../../support/storage-clients.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";

let stack: TestStack;
let api: ApiClient;

beforeAll(async () => {
  stack = await startTestStack();
  api = createApiClient(stack.host.url, stack.apiKey);
});

afterAll(() => stack.stop());

const json = { "content-type": "application/json" };
const small = JSON.stringify({ name: "x", source: "github" });
const megabyte = 1024 * 1024;

describe("a request", () => {
  test.each([
    ["no content type", { body: small, headers: { "content-type": "" } }, 415],
    ["another content type", { body: small, headers: { "content-type": "text/xml" } }, 415],
    [
      "another charset",
      { body: small, headers: { "content-type": "application/json; charset=utf-16" } },
      415,
    ],
    ["no body", { headers: json }, 400],
    ["half a body", { body: small.slice(0, -1), headers: json }, 400],
    ["bytes that are not UTF-8", { body: Uint8Array.of(0x22, 0xff, 0x22), headers: json }, 400],
    ["too deep a nesting", { body: "[".repeat(200_000), headers: json }, 400],
    ["JSON of another kind", { body: "[]", headers: json }, 400],
    ["too large a body", { body: JSON.stringify("x".repeat(megabyte)), headers: json }, 413],
  ])("with %s is refused as a problem", async (_, request, status) => {
    const answer = await api.request("POST", "/api/v1/connections", request);
    expect(answer.status).toBe(status);
  });

  test("with a charset that says the same is taken", async () => {
    const headers = { "content-type": 'Application/JSON; charset="UTF-8"' };
    expect((await api.request("POST", "/api/v1/connections", { body: small, headers })).status).toBe(201);
  });

  test("a body the parser stumbles over is not repeated in the answer", async () => {
    const body = '{"secret": "correct horse"';
    const { text } = await api.request("POST", "/api/v1/connections", { body, headers: json });
    expect(text).not.toContain("horse");
  });

  test.each([
    ["limit=0", "query.limit"],
    ["limit=201", "query.limit"],
    ["limit=1.5", "query.limit"],
    ["limit=ten", "query.limit"],
    ["limit=1&limit=2", "query.limit"],
    ["cursor=", "query.cursor"],
    ["cursor=rubbish", "query.cursor"],
    [`cursor=${Buffer.from('["a","b"]').toString("base64url")}`, "query.cursor"],
    [`cursor=${Buffer.from(`["' or '1' eq '1"]`).toString("base64url")}`, "query.cursor"],
    ["colour=red", "query.colour"],
    ["constructor=x", "query.constructor"],
  ])("with the query %s is refused, with where it is wrong", async (query, path) => {
    const answer = await api.request("GET", `/api/v1/connections?${query}`);
    expect(answer.body).toMatchObject({ status: 400, code: "request-invalid", errors: [{ path }] });
  });

  test("fails as unavailable when storage cannot be reached", async () => {
    const dead = stack.settings["AzureWebJobsStorage"]?.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:9") ?? "";
    const failing = findApiKey(tableNamed(dead, apiKeysTable, noRetries), "x").catch(nameFailure);
    expect(await failing).toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
  });
});

describe("the OpenAPI document", () => {
  test("is served to everybody", async () => {
    const { body } = await createApiClient(stack.host.url).request("GET", "/api/openapi.json");
    expect(body).toEqual(apiDocument);
  });

  test("has every HTTP function of the app, and no other", () => {
    /** For deployments and people with a key of the host, not part of what a tenant calls. */
    const outside = ["GET api/health/ready"];
    const registered = stack.host
      .routes()
      .flatMap(({ methods, url }) => methods.map((method) => `${method} ${new URL(url).pathname.slice(1)}`))
      .map(decodeURIComponent)
      .filter((route) => !outside.includes(route));
    const documented = allEndpoints.map(({ method, path }) => `${method} api/${path}`);
    expect(registered.toSorted()).toEqual(documented.toSorted());
  });

  test("names each function of the app as the app does", () => {
    const names = new Set(stack.host.functions.map(({ name }) => name));
    for (const { operationId } of allEndpoints) expect(names).toContain(operationId);
  });
});
