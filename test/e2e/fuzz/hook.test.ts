import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { allEndpoints } from "../../../shared/api/all-endpoints.ts";
import { type Hook, type HookBench, startHookBench } from "../../support/hook-bench.ts";
import { createApiClient } from "../../support/api-client.ts";
import { RawConnection } from "../../support/raw-http.ts";
import { vendors } from "../../support/sign/sample-webhook.ts";
import { signingCases } from "../../support/sign/signing-cases.ts";
import { until } from "../../support/until.ts";
import { hostileText, mutated } from "./hostile.ts";

/** The same requests at every run; another number gives others. */
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_118);
const mostRuns = 300;
const atOnce = 24;
const totalMs = 8_000;
const patienceMs = 5_000;

let bench: HookBench;
let hooks: readonly Hook[];
const accepted = new Set<string>();

beforeAll(async () => {
  bench = await startHookBench();
  const patterns = ["specific", "generic"];
  hooks = await Promise.all(
    signingCases.map((how, index) =>
      bench.connectSource(how, { pattern: patterns[index % 2], maxBodyBytes: 200_000 }),
    ),
  );
});
afterAll(() => bench?.stop());

/** Bytes of all kinds: the source's own payload, one that is nearly so, any JSON, any text, any bytes. */
function bodyFor({ how }: Hook): fc.Arbitrary<Buffer> {
  const payloads = vendors[how.source].samples("fuzz").map(({ payload }) => payload);
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? "");
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...payloads).map(json) },
    {
      weight: 5,
      arbitrary: fc
        .constantFrom(...payloads)
        .chain(mutated)
        .map(json),
    },
    { weight: 2, arbitrary: fc.json().map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: hostileText.map((text) => Buffer.from(text)) },
    {
      weight: 1,
      arbitrary: hostileText.map((text) => Buffer.from(`payload=${encodeURIComponent(wellFormed(text))}`)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.nat(220_000).map((size) => json({ filler: "x".repeat(size), ...payloads[0] })),
    },
  );
}

const contentTypes = [
  "application/json",
  "application/x-www-form-urlencoded",
  "application/cloudevents+json; charset=utf-8",
  "application/json; charset=utf-16",
  "text/plain",
  ";",
  "",
];

/** Whatever can be written into a header. */
const headerValue = hostileText.map((text) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, "?").slice(0, 1_000));

const otherHeaders: fc.Arbitrary<Record<string, string>> = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "X-GitHub-Event",
      "X-GitHub-Delivery",
      "X-Gitlab-Event",
      "Idempotency-Key",
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
      "X-Slack-Request-Timestamp",
      "X-Shop-Event",
      "X-Shop-Timestamp",
      "traceparent",
      "tracestate",
      "X-Forwarded-For",
      "Content-Encoding",
      "Cookie",
      "Accept",
      "X-Correlation-Id",
    ),
    fc.nat().map((number) => `x-${number.toString(36)}`),
  ),
  headerValue,
  { maxKeys: 4 },
);

interface FuzzedWebhook {
  readonly hook: Hook;
  readonly id: string;
  readonly body: Buffer;
  readonly signature: "right" | "random" | "none";
  readonly contentType: string;
  readonly headers: Record<string, string>;
  readonly noise: string;
}

function webhooksTo(hook: Hook): fc.Arbitrary<FuzzedWebhook> {
  return fc.record({
    hook: fc.constant(hook),
    id: fc.oneof(
      { weight: 15, arbitrary: fc.constant(hook.connectionId) },
      { weight: 1, arbitrary: fc.uint8Array({ minLength: 16, maxLength: 16 }).map(hex) },
      { weight: 1, arbitrary: hostileText.filter((text) => /^[^/\\.]{1,200}$/.test(text)) },
    ),
    body: bodyFor(hook),
    signature: fc.oneof(
      { weight: 8, arbitrary: fc.constant("right" as const) },
      { weight: 1, arbitrary: fc.constantFrom("random" as const, "none" as const) },
    ),
    contentType: fc.oneof(
      { weight: 6, arbitrary: fc.constant("application/json") },
      { weight: 2, arbitrary: fc.constantFrom(...contentTypes) },
      { weight: 1, arbitrary: headerValue },
    ),
    headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: otherHeaders }),
    noise: headerValue,
  });
}

function headersOf({
  hook,
  body,
  signature,
  contentType,
  headers,
  noise,
}: FuzzedWebhook): Record<string, string> {
  const { sample } = hook.sample();
  const right = hook.signer.sign(body, new Date(), `msg_${noise.slice(0, 40)}`);
  const signed = signature === "none" ? {} : signature === "random" ? { [hook.how.header]: noise } : right;
  // What a vendor's request has is overridden whatever the case it is written in.
  const merged = new Headers({ ...sample.headers, "content-type": contentType });
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(signed)])
    merged.set(name, value);
  return Object.fromEntries(merged);
}

describe("the hook endpoint, sent whatever anybody may send", () => {
  test("always answers, as documented, and never with a failure of its own", async () => {
    const api = createApiClient(bench.stack.host.url);
    const statuses = new Map<number, number>();
    const send = async (webhook: FuzzedWebhook): Promise<void> => {
      const path = `/api/hooks/${encodeURIComponent(wellFormed(webhook.id))}`;
      const { status, text, body } = await api.request("POST", path, {
        headers: headersOf(webhook),
        body: webhook.body,
        timeoutMs: patienceMs,
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status, text).toBeLessThan(500);
      if (status === 202) accepted.add((body as { correlationId: string }).correlationId);
      const got = webhook.signature === "right" ? "anything" : `${status}`;
      expect(["anything", "401", "404", "413"], text).toContain(got);
    };
    const answersWell = fc.asyncProperty(
      fc.array(fc.oneof(...hooks.map(webhooksTo)), { minLength: 1, maxLength: atOnce }),
      async (together) => {
        await Promise.all(together.map(send));
      },
    );
    await fc.assert(answersWell, { seed, numRuns: mostRuns, interruptAfterTimeLimit: totalMs });
    console.log(`answers by status: ${JSON.stringify(Object.fromEntries(statuses))}`);
    // Had it gone no further than the door, this would have shown nothing.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([202, 401, 404, 422]));
  });

  test("has none of what it accepted get stuck on the way", async () => {
    await until("everything accepted to have been dealt with", () => {
      const settled = new Set(
        ["work.executed", "webhook.quarantined", "work.parked", "work.quarantined"].flatMap((event) =>
          bench.logged(event).map((line) => line["correlationId"]),
        ),
      );
      return [...accepted].every((id) => settled.has(id)) ? true : undefined;
    });
    expect(bench.logged("bus.dead-lettered")).toEqual([]);
    expect(bench.logged("work.parked")).toEqual([]);
    expect(bench.logged("request.failed")).toEqual([]);
  });

  test("has no other method than the documented one", async () => {
    const documented = allEndpoints
      .filter(({ path }) => path === "hooks/{connectionId}")
      .map(({ method }) => method);
    expect(documented).toEqual(["POST"]);
    const [hook] = hooks;
    const others = fc.asyncProperty(
      fc.constantFrom("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"),
      otherHeaders,
      async (method, headers) => {
        const address = `${bench.url}/hooks/${hook?.connectionId}`;
        const response = await fetch(address, { method, headers, signal: AbortSignal.timeout(patienceMs) });
        expect(response.status).toBe(404);
        expect(await response.text()).toBe("");
      },
    );
    await fc.assert(others, { seed, numRuns: 60 });
  });

  test.each([
    ["a length that is too short", ["Content-Length: 2", "", "{}garbage"], "4"],
    ["a length that is none", ["Content-Length: many", "", "{}"], "400"],
    ["a length below zero", ["Content-Length: -1", "", "{}"], "400"],
    ["two lengths", ["Content-Length: 2", "Content-Length: 3", "", "{}"], "400"],
    ["a length and chunks", ["Content-Length: 2", "Transfer-Encoding: chunked", "", "0", "", ""], "4"],
    ["chunks that are none", ["Transfer-Encoding: chunked", "", "zz", "{}", ""], "400"],
    ["a header without a colon", ["Nonsense", "", ""], "400"],
    ["a header with a line break in it", ["X-A: b\rX-C: d", "", ""], "400"],
    ["headers without end", [`X-A: ${"a".repeat(20_000)}`, "", ""], "431"],
    ["no host", [], "400"],
  ])("survives a request with %s", async (_, lines, expected) => {
    const connection = await new RawConnection(bench.stack.host.url).opened();
    const host = lines.length === 0 ? ["", ""] : ["Host: localhost", ...lines];
    connection.send(`POST /api/hooks/${hooks[0]?.connectionId} HTTP/1.1`, ...host);
    expect(await connection.until("\r\n\r\n")).toMatch(new RegExp(`^HTTP/1.1 ${expected}`));
    connection.socket.destroy();
    await connection.closed();
    expect((await hooks[0]?.deliver())?.status).toBe(202);
  });

  test("survives a sender that leaves in the middle of its request", async () => {
    const connection = await new RawConnection(bench.stack.host.url).opened();
    const length = ["Host: localhost", "Content-Length: 1000", "", "{}"];
    connection.send(`POST /api/hooks/${hooks[0]?.connectionId} HTTP/1.1`, ...length);
    connection.socket.destroy();
    await connection.closed();
    expect((await hooks[0]?.deliver())?.status).toBe(202);
  });

  test("SEC-03: has kept no secret anywhere but in the vault", async () => {
    expect(await bench.leaks()).toEqual([]);
  });
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Half a surrogate pair cannot be sent. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
