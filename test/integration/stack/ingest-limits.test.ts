import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { largestBody } from "../../../shared/connections/connection.ts";
import { readBody } from "../../../shared/ingest/raw-body.ts";
import { inlineLimitBytes } from "../../../shared/ledgers/inbox.ts";
import { assertDocumented } from "../../support/api-contract.ts";
import {
  type Hook,
  type HookAnswer,
  type HookBench,
  type Sent,
  startHookBench,
} from "../../support/hook-bench.ts";
import { signingCase } from "../../support/sign/signing-cases.ts";
import { until } from "../../support/until.ts";

let bench: HookBench;
beforeAll(async () => {
  bench = await startHookBench();
});
afterAll(() => bench?.stop());

const github = (settings?: object): Promise<Hook> => bench.connectSource(signingCase("github"), settings);

describe("ING-03: who may send", () => {
  test.each([[["127.0.0.1"]], [["127.0.0.0/8"]], [["192.0.2.0/24", "127.0.0.1/32"]], [["0.0.0.0/0"]], [[]]])(
    "is told by the other end of the connection: %o lets it in",
    async (allowedIps) => {
      const hook = await github({ allowedIps });
      const answer = await hook.deliver();
      expect(answer.status, answer.text).toBe(202);
      expect(await bench.storedBy(hook.connectionId)).toBe(1);
    },
  );

  test.each([[["192.0.2.0/24"]], [["127.0.0.2/32"]], [["::/0"]]])(
    "is told by the other end of the connection: %o does not",
    async (allowedIps) => {
      const hook = await github({ allowedIps });
      const answer = await hook.deliver();
      expect(answer.status, answer.text).toBe(403);
      expect(answer.body.code).toBe("sender-not-allowed");
      expect(await bench.storedBy(hook.connectionId)).toBe(0);
    },
  );

  test.each([
    ["x-forwarded-for", "192.0.2.7"],
    ["x-forwarded-for", "192.0.2.7, 192.0.2.8"],
    ["x-forwarded-for", "192.0.2.7:443"],
    ["x-forwarded-for", "192.0.2.7,"],
    ["forwarded", "for=192.0.2.7"],
    ["x-real-ip", "192.0.2.7"],
    ["x-client-ip", "192.0.2.7"],
    ["client-ip", "192.0.2.7"],
    ["x-azure-clientip", "192.0.2.7"],
    ["x-original-forwarded-for", "192.0.2.7"],
  ])("is not told by what the sender writes itself: %s: %s", async (name, value) => {
    const hook = await github({ allowedIps: ["192.0.2.0/24"] });
    const { headers, body } = hook.sample();
    const answer = await hook.send({ headers: { ...headers, [name]: value }, body });
    expect(answer.status, answer.text).toBe(403);
  });

  test("is asked before the signature, and does not say whether that was right", async () => {
    const hook = await github({ allowedIps: ["192.0.2.0/24"] });
    const { body } = hook.sample();
    const [signed, unsigned] = [await hook.deliver(), await hook.send({ headers: {}, body })];
    expect(unsigned.body.detail).toBe(signed.body.detail);
    expect(unsigned.status).toBe(403);
  });
});

describe("ING-04: how much may be sent", () => {
  const rateLimit = { maxEventsPerMinute: 60, burstAllowance: 3, backoffOnLimit: false };

  test("is refused with 429 beyond the burst, and taken again when the bucket has filled", async () => {
    const hook = await github({ rateLimit });
    const answers: HookAnswer[] = [];
    for (let count = 0; count < 5; count++) answers.push(await hook.deliver());
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429, 429]);
    const waits = answers.slice(3).map(({ headers }) => Number(headers.get("retry-after")));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...waits)).toBeLessThanOrEqual(3);
    expect(answers[4]?.body.code).toBe("too-many-requests");
    expect(await bench.storedBy(hook.connectionId)).toBe(3);
    const known = hook.sample();
    const later = await until("the bucket to fill", async () => {
      const answer = await hook.send(known);
      return answer.status === 202 ? answer : undefined;
    });
    expect(later.body.duplicate).toBe(false);
  });

  test("counts nothing that was refused for its signature", async () => {
    const hook = await github({ rateLimit: { ...rateLimit, maxEventsPerMinute: 1 } });
    const { headers, body } = hook.sample();
    const forged = { headers: { ...headers, "X-Hub-Signature-256": `sha256=${"0".repeat(64)}` }, body };
    const refused = await Promise.all(Array.from({ length: 20 }, () => hook.send(forged)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
    const answers = await Promise.all(Array.from({ length: 5 }, () => hook.deliver()));
    const taken = answers.filter(({ status }) => status === 202);
    expect(taken).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  test("is one connection's own affair", async () => {
    const [busy, quiet] = await Promise.all([
      github({ rateLimit: { ...rateLimit, burstAllowance: 1 } }),
      github({ rateLimit: { ...rateLimit, burstAllowance: 1 } }),
    ]);
    await busy.deliver();
    expect((await busy.deliver()).status).toBe(429);
    expect((await quiet.deliver()).status).toBe(202);
  });

  test("makes those wait ever longer that do not wait, where the connection says so", async () => {
    const waitsOf = async (backoffOnLimit: boolean): Promise<number[]> => {
      const hook = await github({ rateLimit: { maxEventsPerMinute: 30, burstAllowance: 1, backoffOnLimit } });
      await hook.deliver();
      const waits: number[] = [];
      for (let count = 0; count < 3; count++) {
        waits.push(Number((await hook.deliver()).headers.get("retry-after")));
      }
      return waits;
    };
    const [even, growing] = await Promise.all([waitsOf(false), waitsOf(true)]);
    expect(growing[1]).toBeGreaterThan(even[1] ?? Infinity);
    expect(growing[2]).toBeGreaterThanOrEqual(3 * (even[2] ?? Infinity));
  });
});

describe("ING-07: the bytes of a webhook", () => {
  const opened = `"action" :\t"opened",\r\n  "repository":{"full_name" : "octo\\/org"},`;

  test.each([
    [
      "odd whitespace and escapes",
      `{ ${opened} "pull_request":{"number":1e0,"title":"\\u00e9\\ud83d\\ude00é😀\\/"} }\n\n`,
    ],
    ["a byte order mark", `\ufeff{${opened}"pull_request":{"number":1}}`],
    ["keys that come twice", `{${opened}"pull_request":{"number":2},"pull_request":{"number":1}}`],
    ["numbers too long to keep", `{${opened}"pull_request":{"number":1},"big":12345678901234567890.00}`],
  ])("are kept exactly as they came, with %s", async (_, text) => {
    const hook = await github();
    const webhook = hook.signed(text);
    const { status, body, text: said } = await hook.send(webhook);
    expect(status, said).toBe(202);
    await expectBytes(body.correlationId, webhook.body);
    expect((await bench.arrived(body.correlationId)).event.objectid).toBe("octo/org#1");
  });

  test.each([
    { name: "fit into the row", size: inlineLimitBytes, place: "row" },
    { name: "do not fit into the row", size: inlineLimitBytes + 1, place: "blob" },
    { name: "are 100 KB", size: 100 * 1024, place: "blob" },
    { name: "are too many to travel", size: 400 * 1024, place: "blob" },
    { name: "are as many as a connection takes", size: largestBody, place: "blob" },
  ])("that $name are stored in a $place, and routes can use them all the same", async ({ size, place }) => {
    const hook = await github();
    const webhook = sized(hook, size);
    const { status, body, text } = await hook.send(webhook);
    expect(status, text).toBe(202);
    const { correlationId } = body;
    await expectBytes(correlationId, webhook.body);
    const stored = await bench.stored(correlationId);
    expect(stored.bodyRef === undefined ? "row" : "blob").toBe(place);
    expect(stored.size).toBe(size);
    const { event } = await bench.arrived(correlationId);
    expect(event.type).toBe("github.events.pull_request.opened");
    expect((event.data as { filler: string }).filler.length).toBeGreaterThan(size - 5000);
  });

  test.each([
    ["26 MB", 26 * 1024 * 1024, {}],
    ["a byte more than the connection takes", 5001, { maxBodyBytes: 5000 }],
  ])("that are %s are refused with 413", async (_, size, settings) => {
    const hook = await github(settings);
    const answer = await hook.send(sized(hook, size));
    expect(answer.status, answer.text).toBe(413);
    expect(answer.body.code).toBe("body-too-large");
    const chunked = await sendChunked(hook, sized(hook, size));
    expect(chunked.status).toBe(413);
    expect(await bench.storedBy(hook.connectionId)).toBe(0);
  });

  test("that are exactly as many as the connection takes are taken", async () => {
    const hook = await github({ maxBodyBytes: 5000 });
    expect((await hook.send(sized(hook, 5000))).status).toBe(202);
  });

  test("are taken in chunks, without a length said before", async () => {
    const hook = await github();
    const webhook = sized(hook, 100_000);
    const { status, correlationId } = await sendChunked(hook, webhook);
    expect(status).toBe(202);
    await expectBytes(correlationId, webhook.body);
  });

  test.each([
    ["numbers that grow when they are written out", `[${"1e20,".repeat(11_000)}1]`],
    ["text that grows when it is written as JSON", `"${"\\u0001".repeat(9_000)}"`],
  ])("with %s still arrive", async (_, value) => {
    const hook = await github();
    const text = JSON.stringify(hook.sample().sample.payload).replace("{", `{"filler":${value},`);
    const { status, body, text: said } = await hook.send(hook.signed(text));
    expect(status, said).toBe(202);
    const { event } = await bench.arrived(body.correlationId);
    expect((event.data as { filler: unknown }).filler).toEqual(JSON.parse(value));
  });
});

describe("ING-07: the headers of a webhook", () => {
  const credentials = {
    authorization: "Bearer not-for-the-table",
    "proxy-authorization": "Basic not-for-the-table",
    cookie: "session=not-for-the-table",
    "x-api-key": "not-for-the-table",
    "x-amz-security-token": "not-for-the-table",
    "x-gitlab-token": "not-for-the-table",
    "x-hub-signature": "sha1=not-for-the-table",
    "x-client-secret": "not-for-the-table",
  };

  test("are kept, but for what may be a credential and what proxies added", async () => {
    const hook = await github();
    const { headers, body } = hook.sample();
    const more = { ...credentials, "x-forwarded-for": "192.0.2.1", "x-custom": "kept" };
    const { correlationId } = (await hook.send({ headers: { ...headers, ...more }, body })).body;
    const stored = await bench.stored(correlationId);
    expect(stored.headers).toMatchObject({
      "x-github-event": "pull_request",
      "x-github-delivery": headers["X-GitHub-Delivery"],
      "user-agent": headers["User-Agent"],
      "content-type": "application/json",
      "x-custom": "kept",
    });
    expect(JSON.stringify(stored)).not.toContain("not-for-the-table");
    const left = [...Object.keys(credentials), "x-hub-signature-256", "x-forwarded-for", "host"];
    expect(Object.keys(stored.headers).filter((name) => left.includes(name))).toEqual([]);
  });

  test.each([
    "generic, HMAC of the body alone",
    "generic, HMAC with a timestamp",
    "slack",
    "stripe",
    "workfront",
  ])("are kept without the signature: %s", async (name) => {
    const hook = await bench.connectSource(signingCase(name));
    const webhook = hook.sample();
    const { correlationId } = (await hook.send(webhook)).body;
    const stored = await bench.stored(correlationId);
    expect(Object.keys(stored.headers)).not.toContain(hook.how.header.toLowerCase());
    expect(JSON.stringify(stored)).not.toContain(webhook.headers[hook.how.header]);
  });

  test("that are many and long do not keep a webhook out", async () => {
    const hook = await github();
    const { headers, body } = hook.sample();
    const many = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`x-many-${index}`, '"'.repeat(150)]),
    );
    const answer = await hook.send({ headers: { ...headers, ...many }, body });
    expect(answer.status, answer.text).toBe(202);
    await bench.arrived(answer.body.correlationId);
  });
});

test("SEC-03: none of it left a secret in a table, a blob, a log line or an answer", async () => {
  expect(await bench.leaks()).toEqual([]);
});

/** A webhook of exactly so many bytes. */
function sized(hook: Hook, size: number): Sent {
  const around = JSON.stringify({ filler: "", ...hook.sample().sample.payload });
  return hook.signed(around.replace('""', `"${"x".repeat(size - Buffer.byteLength(around))}"`));
}

async function expectBytes(correlationId: string, expected: Uint8Array): Promise<void> {
  const stored = await bench.stored(correlationId);
  const bytes = await readBody(() => bench.stack.platform.container("raw"), stored);
  // Compared at once: a diff of megabytes helps nobody.
  expect(Buffer.compare(bytes, expected)).toBe(0);
  const raw = await fetch(`${bench.url}/v1/events/${correlationId}/raw`, {
    headers: { "x-api-key": bench.stack.apiKey },
  });
  expect(Buffer.compare(Buffer.from(await raw.arrayBuffer()), expected)).toBe(0);
}

async function sendChunked(
  { connectionId }: Hook,
  { headers, body }: Sent,
): Promise<{ readonly status: number; readonly correlationId: string }> {
  const pieces = Array.from({ length: 10 }, (_, index) => {
    const length = Math.ceil(body.length / 10);
    return body.subarray(index * length, (index + 1) * length);
  });
  const path = `/api/hooks/${connectionId}`;
  const response = await fetch(new URL(path, bench.url), {
    method: "POST",
    headers,
    body: ReadableStream.from(pieces),
    duplex: "half",
  });
  const text = await response.text();
  assertDocumented("POST", path, { status: response.status, headers: response.headers, text });
  return { status: response.status, ...(JSON.parse(text) as { correlationId: string }) };
}
