import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { allEndpoints } from "../../../shared/api/all-endpoints.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { apiDocument } from "../../support/api-contract.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";
import { type Pool, requestsTo } from "./requests.ts";

/** The same requests at every run; another number gives others. */
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_118);
const totalMs = 20_000;
const runsEach = 120;
const patienceMs = 5_000;

let stack: TestStack;
let api: ApiClient;
const pool: Pool = new Map();

const operations = Object.entries(apiDocument.paths).flatMap(([template, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: operation.operationId,
    method: method.toUpperCase(),
    template,
    operation,
  })),
);

/** Whatever an answer has under the name of a parameter is asked for later. */
const parameterNames = new Set(
  operations.flatMap(({ operation }) => (operation.parameters ?? []).map(({ name }) => name)),
);

beforeAll(async () => {
  stack = await startTestStack();
  api = createApiClient(stack.host.url, stack.apiKey);
});

/** Something of everything to ask for, whatever the operation before has taken away. */
beforeEach(async () => {
  for (const { method, path, body } of allEndpoints) {
    if (method === "GET" || path.includes("{") || body === undefined) continue;
    harvest((await api.request(method, `/api/${path}`, { body: body.example })).body);
  }
});

afterAll(() => stack.stop());

/** But not the id of the key that all this is done with: the rest would all be refused. */
function harvest(answer: unknown): void {
  if (typeof answer !== "object" || answer === null) return;
  for (const [field, value] of Object.entries(answer)) {
    const name = field === "nextCursor" ? "cursor" : field;
    if (typeof value !== "string") harvest(value);
    else if (parameterNames.has(name) && !stack.apiKey.includes(value)) {
      pool.set(name, [value, ...(pool.get(name) ?? [])].slice(0, 20));
    }
  }
}

describe("the API, asked for whatever its document allows and what it does not", () => {
  test.each(operations)(
    "$name always answers, as documented, and never with a failure of its own",
    async ({ method, template, operation }) => {
      const answersWell = fc.asyncProperty(
        requestsTo(template, operation, pool),
        async ({ path, ...request }) => {
          const { status, body, text } = await api.request(method, path, {
            ...request,
            timeoutMs: patienceMs,
          });
          expect(status, text).toBeLessThan(500);
          expect(status, "the key must stay good").not.toBe(template.startsWith("/api/v1/") ? 401 : 500);
          harvest(body);
        },
      );
      await fc.assert(answersWell, {
        seed,
        numRuns: runsEach,
        interruptAfterTimeLimit: totalMs / operations.length,
      });
    },
  );
});
