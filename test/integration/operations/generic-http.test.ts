import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import type { Endpoint, Route } from "../../../shared/config/route-schema.ts";
import type { BoundOperation, OperationOutcome } from "../../../shared/operations/operation.ts";
import { bindOperation } from "../../../shared/operations/operations.ts";
import { createOutboundClient } from "../../../shared/outbound/client.ts";
import { startSink, type Sink } from "../../support/sink.ts";
import { inputWith, traceId } from "../../unit/operations/example.ts";

const client = createOutboundClient({ OUTBOUND_ALLOW: "127.0.0.0/8" });
let vendor: Sink;

beforeAll(async () => {
  vendor = await startSink();
});
afterEach(() => vendor.clear());
afterAll(async () => {
  await client.close();
  await vendor.stop();
});

interface Change {
  readonly endpoint?: Partial<Endpoint>;
  readonly operation?: Partial<Route["operation"]>;
  readonly secret?: string | number;
}

function bind({ endpoint = {}, operation = {}, secret = "s3cr3t-value" }: Change = {}): BoundOperation {
  return bindOperation({
    endpoint: { url: vendor.url, ...endpoint },
    operation: { kind: "generic-http", path: "/items", ...operation },
    targetSystem: "vendor",
    secretOf: () =>
      typeof secret === "string"
        ? Promise.resolve(secret)
        : Promise.reject(Object.assign(new Error("the vault says s3cr3t-value"), { statusCode: secret })),
    client,
  });
}

async function failingOf(outcome: Promise<OperationOutcome>): Promise<Record<string, unknown>> {
  const settled = await outcome;
  if (settled.kind !== "failed") throw new Error("It succeeded.");
  return { ...settled.failing };
}

const bearer = { scheme: "bearer", secretName: "vendor-token" } as const;

describe("an operation that succeeds", () => {
  test("ING-06: carries the trace, the correlation id and who sends", async () => {
    const operation = bind({
      operation: { idempotencyHeader: "Idempotency-Key", body: { n: "{{data.n}}" } },
    });
    await operation.execute(inputWith({ n: 1 }));
    await operation.execute(inputWith({ n: 2 }));
    const [first, second] = vendor.requests;
    expect(first?.headers).toMatchObject({
      "x-correlation-id": "correlation-1",
      "idempotency-key": "key-1",
      "content-type": "application/json",
    });
    expect(first?.headers["user-agent"]).toMatch(/^Interlock\/\d+\.\d+\.\d+$/);
    expect(first?.headers["traceparent"]).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(first?.headers["traceparent"]).not.toBe(second?.headers["traceparent"]);
    expect(vendor.requests.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":2}']);
  });

  test.each([
    [bearer, "authorization", "Bearer s3cr3t-value"],
    [
      { scheme: "basic", secretName: "p", username: "us" } as const,
      "authorization",
      `Basic ${Buffer.from("us:s3cr3t-value").toString("base64")}`,
    ],
    [{ scheme: "header", secretName: "k", header: "X-Api-Key" } as const, "x-api-key", "s3cr3t-value"],
  ])("sends its credential: %j", async (auth, header, value) => {
    const operation = bind({ endpoint: { auth, headers: { [header]: "from the configuration" } } });
    expect(await operation.execute(inputWith({}))).toMatchObject({ kind: "succeeded" });
    expect(vendor.requests[0]?.headers[header]).toBe(value);
  });

  test("is remembered by the id the vendor gave, else its location, else the answer", async () => {
    const operation = bind({ operation: { sideEffectRefPath: "order.id" } });
    vendor.reply("/items", { body: { order: { id: 77 } } });
    expect(await operation.execute(inputWith({}))).toMatchObject({ sideEffectRef: "77", httpStatus: 200 });
    vendor.reply("/items", { status: 201, body: "", headers: { location: "/items/9?token=LEAK" } });
    const located = await operation.execute(inputWith({}));
    expect(located).toMatchObject({ httpStatus: 201 });
    expect(JSON.stringify(located)).toContain(`${vendor.url}/items/9`);
    expect(JSON.stringify(located)).not.toContain("LEAK");
    vendor.reply("/items", { status: 204, body: "" });
    expect(await operation.execute(inputWith({}))).toMatchObject({
      sideEffectRef: "http:204:e3b0c44298fc1c14",
    });
  });

  test("may be one that the table takes for a failure", async () => {
    vendor.reply("/items", { status: 409 });
    const operation = bind({ operation: { statusClasses: { "409": "Success" } } });
    expect(await operation.execute(inputWith({}))).toMatchObject({ kind: "succeeded", httpStatus: 409 });
  });
});

describe("an operation that fails (ERR-01)", () => {
  test("ERR-03: says for how long the vendor wants to be left alone", async () => {
    vendor.reply("/items", { status: 429, retryAfter: 17 });
    expect(await failingOf(bind().execute(inputWith({})))).toMatchObject({
      classification: "RateLimited",
      code: "HTTP_429",
      retryAfterSeconds: 17,
      mayHaveHappened: false,
    });
  });

  test("LED-04: is in doubt when the answer was lost, and a GET never is", async () => {
    vendor.reply("/items", { end: "drop" });
    expect(await failingOf(bind().execute(inputWith({})))).toMatchObject({
      classification: "Transient",
      code: "CONNECTION_LOST",
      mayHaveHappened: true,
    });
    expect(await failingOf(bind({ operation: { method: "GET" } }).execute(inputWith({})))).toMatchObject({
      mayHaveHappened: false,
    });
  });

  test("is poison when the address is blocked, and no secret is sent there", async () => {
    const operation = bind({
      endpoint: { url: "http://169.254.169.254/latest/meta-data?token=LEAK", auth: bearer },
    });
    const failing = await failingOf(operation.execute(inputWith({})));
    expect(failing).toMatchObject({
      classification: "Poison",
      code: "ADDRESS_BLOCKED",
      mayHaveHappened: false,
    });
    expect(JSON.stringify(failing)).not.toMatch(/LEAK|s3cr3t/);
  });

  test("follows no redirect", async () => {
    vendor.reply("/items", { status: 307, headers: { location: `${vendor.url}/internal` } });
    expect(await failingOf(bind({ endpoint: { auth: bearer } }).execute(inputWith({})))).toMatchObject({
      classification: "Poison",
      code: "REDIRECT",
    });
    expect(vendor.requests).toHaveLength(1);
  });

  test.each([
    [404, "Auth", "SECRET_MISSING"],
    [503, "Transient", "SECRET_UNAVAILABLE"],
    ["", "Auth", "SECRET_MISSING"],
    ["line\nbreak", "Auth", "SECRET_MISSING"],
  ] as const)("without its secret (%j) is %s and sends nothing", async (secret, classification, code) => {
    const failing = await failingOf(bind({ endpoint: { auth: bearer }, secret }).execute(inputWith({})));
    expect(failing).toMatchObject({ classification, code, mayHaveHappened: false });
    expect(failing["message"]).toContain("vendor-token");
    expect(JSON.stringify(failing)).not.toMatch(/s3cr3t|break/);
    expect(vendor.requests).toEqual([]);
  });

  test("SEC-03: repeats neither its secret, nor the query, nor what the vendor calls one", async () => {
    const said = { error: "no s3cr3t-value here", password: "LEAK", detail: "x".repeat(1_000) };
    vendor.reply("/items", { status: 422, body: said });
    const operation = bind({ endpoint: { auth: bearer }, operation: { path: "/items?q={{data.q}}" } });
    const failing = await failingOf(operation.execute(inputWith({ q: "LEAK" })));
    expect(failing).toMatchObject({ classification: "Validation", code: "HTTP_422", httpStatus: 422 });
    expect(failing["message"]).toContain("no [redacted] here");
    expect(String(failing["message"]).length).toBeLessThan(300);
    expect(JSON.stringify(failing)).not.toMatch(/LEAK|s3cr3t/);
  });

  test("sends nothing when the event does not fit the route", async () => {
    const operation = bind({ operation: { path: "/items/{{data.id}}" } });
    expect(await failingOf(operation.execute(inputWith({})))).toMatchObject({ code: "PAYLOAD_UNFIT" });
    expect(vendor.requests).toEqual([]);
  });
});

describe("an attempt nobody saw the end of (LED-04)", () => {
  const lookup = { path: "/effects/{{idempotencyKey}}", sideEffectRefPath: "id" };
  const search = {
    path: "/effects?reference={{idempotencyKey}}",
    existsPath: "items",
    sideEffectRefPath: "items[*].id",
  };
  const body = { reference: "{{idempotencyKey}}" };

  test("may be repeated where the vendor honours the key, and then has one effect", async () => {
    const honest = await startSink({ idempotencyHeader: "idempotency-key" });
    honest.reply("/items", { end: "drop" });
    const operation = bind({
      endpoint: { url: honest.url },
      operation: { idempotencyHeader: "Idempotency-Key", sideEffectRefPath: "id" },
    });
    expect(await failingOf(operation.execute(inputWith({})))).toMatchObject({ mayHaveHappened: true });
    expect(await operation.askVendor(inputWith({}))).toEqual({ kind: "repeatable" });
    expect(await operation.execute(inputWith({}))).toMatchObject({ sideEffectRef: "effect-1" });
    expect(honest.effects()).toHaveLength(1);
    await honest.stop();
  });

  test.each([
    ["an address", lookup],
    ["a search", search],
  ])("is found by %s, or is absent", async (_, way) => {
    const operation = bind({ operation: { body, lookup: way } });
    expect(await operation.askVendor(inputWith({}))).toEqual({ kind: "absent" });
    vendor.reply("/items", { end: "drop" });
    await operation.execute(inputWith({}));
    expect(await operation.askVendor(inputWith({}))).toEqual({ kind: "happened", sideEffectRef: "effect-1" });
  });

  test("stays in doubt where the vendor has no way to tell, or does not tell", async () => {
    expect(await bind().askVendor(inputWith({}))).toEqual({ kind: "unknown" });
    vendor.reply("/status", { status: 503 }, { body: "no json" }, { body: "no json" });
    const operation = bind({ operation: { lookup: { path: "/status", existsPath: "id" } } });
    expect(await operation.askVendor(inputWith({}))).toMatchObject({
      kind: "failed",
      failing: { code: "HTTP_503", mayHaveHappened: true },
    });
    expect(await operation.askVendor(inputWith({}))).toMatchObject({
      kind: "failed",
      failing: { code: "LOOKUP_UNREADABLE", classification: "Transient" },
    });
  });

  test("a search for nothing finds nothing", async () => {
    const operation = bind({ operation: { lookup: { path: "/effects?reference={{data.missing}}" } } });
    expect(await operation.askVendor(inputWith({}))).toMatchObject({
      kind: "failed",
      failing: { code: "PAYLOAD_UNFIT" },
    });
    expect(vendor.requests).toEqual([]);
  });

  test("a vendor that cannot be asked may be trusted with the same key", async () => {
    vendor.reply("/status", { status: 500 });
    const operation = bind({
      operation: { lookup: { path: "/status" }, idempotencyHeader: "Idempotency-Key" },
    });
    expect(await operation.askVendor(inputWith({}))).toEqual({ kind: "repeatable" });
  });
});
