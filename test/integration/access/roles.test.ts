import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { allEndpoints } from "../../../shared/api/all-endpoints.ts";
import { roles } from "../../../shared/ledgers/api-keys.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { issueKey } from "../../support/issue-key.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";

let stack: TestStack;
let clients: Readonly<Record<string, ApiClient>>;

beforeAll(async () => {
  stack = await startTestStack();
  const made = roles.map(async (role) => {
    const key = await issueKey(stack.platform, { role });
    return [role, createApiClient(stack.host.url, key)] as const;
  });
  clients = Object.fromEntries(await Promise.all(made));
});

afterAll(() => stack.stop());

const closed = allEndpoints.flatMap((endpoint) =>
  endpoint.role === "public"
    ? []
    : [{ ...endpoint, call: `${endpoint.method} ${endpoint.path}`, needs: endpoint.role }],
);

/** Well-formed as an address, and naming nothing. */
const addressOf = (path: string): string => `/api/${path.replaceAll(/\{\w+\}/g, "0123456789abcdef")}`;

describe("SEC-02: roles", () => {
  test.each(closed)("$call is closed to whoever shows no key", async ({ method, path }) => {
    const answer = await createApiClient(stack.host.url).request(method, addressOf(path));
    expect(answer.body).toMatchObject({ status: 401, code: "api-key-missing" });
  });

  test.each(closed)("$call is for the role $needs and those above it", async ({ method, path, needs }) => {
    const codes: Record<string, unknown> = {};
    for (const role of roles) {
      const answer = await clients[role]?.request(method, addressOf(path));
      codes[role] = (answer?.body as { code?: string } | undefined)?.code;
    }
    const refused = roles.filter((role) => codes[role] === "role-insufficient");
    expect(refused).toEqual(roles.slice(0, roles.indexOf(needs)));
  });
});
