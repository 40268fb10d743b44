import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readBody } from "../../../shared/ingest/raw-body.ts";
import { type Hook, type HookBench, startHookBench } from "../../support/hook-bench.ts";
import { startProcess } from "../../support/process-under-test.ts";
import { signingCase, signingCases } from "../../support/sign/signing-cases.ts";
import { vendors } from "../../support/sign/sample-webhook.ts";

const root = join(import.meta.dirname, "../../..");

let bench: HookBench;
beforeAll(async () => {
  bench = await startHookBench();
});
afterAll(() => bench?.stop());

const github = (settings?: object): Promise<Hook> => bench.connectSource(signingCase("github"), settings);

describe.each(signingCases)("a webhook of $name", (how) => {
  test("ING-01, ING-08: is answered with 202, stored with its exact bytes and passed on as what it is", async () => {
    const hook = await bench.connectSource(how);
    const samples = vendors[how.source].samples("any").map(({ subject }) => subject);
    await Promise.all(
      samples.map(async (subject) => {
        const webhook = hook.sample({ subject });
        const answer = await hook.send(webhook);
        expect(answer.status, answer.text).toBe(202);
        expect(answer.body).toEqual({
          correlationId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
          duplicate: false,
        });
        const { correlationId } = answer.body;
        expect(answer.headers.get("x-correlation-id")).toBe(correlationId);

        const stored = await bench.stored(correlationId);
        expect(Buffer.from(stored.body ?? [])).toEqual(webhook.body);
        expect(stored.contentType).toBe(webhook.headers["Content-Type"]);

        const { event } = await bench.arrived(correlationId);
        const { objectType, objectId, eventType, eventTime, sentAs, payload } = webhook.sample;
        expect(event).toMatchObject({
          specversion: "1.0",
          id: correlationId,
          type: subject,
          subject: `${objectType}/${objectId}`,
          objecttype: objectType,
          objectid: objectId,
          eventtype: eventType,
          time: eventTime ?? event.receivedat,
          tenantid: "demo",
          connectionid: hook.connectionId,
          sourcesystem: how.source,
          payloadhash: createHash("sha256").update(webhook.body).digest("hex"),
        });
        expect(event.data).toEqual(sentAs === "form" ? asForm(payload) : payload);
      }),
    );
  });

  test("ING-05: is a duplicate when it is sent again, and nothing new is published", async () => {
    const hook = await bench.connectSource(how);
    const delivery = randomUUID();
    const first = await hook.deliver({ delivery });
    await bench.arrived(first.body.correlationId);
    const again = await hook.deliver({ delivery });
    expect(again.status).toBe(202);
    expect(again.body).toEqual({ correlationId: first.body.correlationId, duplicate: true });
    await bench.stack.host.idle();
    expect(await bench.storedBy(hook.connectionId)).toBe(1);
    expect(effectsOf(first.body.correlationId)).toBe(1);
  });
});

describe("ING-05: the same webhook", () => {
  test("fifty times at once is one, and all get the first's correlation id", async () => {
    const hook = await github();
    const webhook = hook.sample();
    const answers = await Promise.all(Array.from({ length: 50 }, () => hook.send(webhook)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(answers.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
    const [correlationId = "", ...others] = new Set(answers.map(({ body }) => body.correlationId));
    expect(others).toEqual([]);
    await bench.arrived(correlationId);
    await bench.stack.host.idle();
    expect(effectsOf(correlationId)).toBe(1);
  });

  test("without an id of its delivery is known by its bytes, and one byte makes another of it", async () => {
    const hook = await github();
    const { headers, body } = hook.sample();
    const { "X-GitHub-Delivery": _, ...anonymous } = headers;
    const first = await hook.send({ headers: anonymous, body });
    const again = await hook.send({ headers: anonymous, body });
    expect(again.body).toEqual({ correlationId: first.body.correlationId, duplicate: true });
    const spaced = hook.signed(`${body.toString()} `, { "X-GitHub-Delivery": "" });
    const other = await hook.send(spaced);
    expect(other.body.duplicate).toBe(false);
    expect(other.body.correlationId).not.toBe(first.body.correlationId);
  });

  test("is still the same for another process, started later", async () => {
    const hook = await github();
    const webhook = hook.sample();
    const first = await hook.send(webhook);
    const host = startProcess(
      process.execPath,
      [join(root, "dist/local/host/main.js"), "start", "--port=0", `--script-root=${root}`],
      { env: { ...process.env, ...bench.stack.settings } },
    );
    try {
      const [, url] = await host.saw(/ready on (http:\S+?)\/?\s/);
      const response = await fetch(`${url}/api/hooks/${hook.connectionId}`, { method: "POST", ...webhook });
      expect(await response.json()).toEqual({
        correlationId: first.body.correlationId,
        duplicate: true,
      });
    } finally {
      host.child.kill("SIGTERM");
      await host.ended();
    }
  });

  test("sent to another connection is another event", async () => {
    const [one, other] = await Promise.all([github(), github()]);
    const delivery = randomUUID();
    const answers = await Promise.all([one.deliver({ delivery }), other.deliver({ delivery })]);
    expect(answers.map(({ body }) => body.duplicate)).toEqual([false, false]);
    const [first, second] = answers.map(({ body }) => body.correlationId);
    expect(first).not.toBe(second);
    await Promise.all([bench.arrived(first ?? ""), bench.arrived(second ?? "")]);
  });

  test("under the same delivery id with other bytes is a duplicate, and the first's bytes stay", async () => {
    const hook = await github();
    const delivery = randomUUID();
    const large = (letter: string): Parameters<Hook["deliver"]>[0] => ({
      delivery,
      change: { filler: letter.repeat(300 * 1024) },
    });
    const webhook = hook.sample(large("a"));
    const first = await hook.send(webhook);
    const again = await hook.deliver(large("b"));
    expect(again.body).toEqual({ correlationId: first.body.correlationId, duplicate: true });
    const stored = await bench.stored(first.body.correlationId);
    const bytes = await readBody(() => bench.stack.platform.container("raw"), stored);
    expect(Buffer.from(bytes).equals(webhook.body)).toBe(true);
  });
});

describe("ING-06: the correlation id and the trace", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

  test("of the sender's request reach the vendor, the log and the API", async () => {
    const hook = await github();
    const webhook = hook.sample();
    const headers = { ...webhook.headers, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const { correlationId } = (await hook.send({ ...webhook, headers })).body;
    const arrived = await bench.arrived(correlationId);
    expect(arrived.event.traceparent.split("-")[1]).toBe(traceId);
    expect(arrived.headers["traceparent"]).toMatch(
      new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
    );
    await bench.stack.host.idle();
    for (const event of ["webhook.accepted", "event.routed", "work.executed"]) {
      expect(bench.logged(event)).toContainEqual(expect.objectContaining({ correlationId }));
    }
    const { body } = await bench.api.request("GET", `/api/v1/correlations/${correlationId}`);
    const { timeline } = body as { timeline: readonly { readonly kind: string }[] };
    expect(timeline.map(({ kind }) => kind)).toEqual(["received", "routed", "executed"]);
  });

  test.each([
    ["absent", undefined],
    ["malformed", "00-zz"],
    ["all zeros", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
  ])("begin anew where the sender's trace is %s", async (_, traceparent) => {
    const hook = await github();
    const webhook = hook.sample();
    const headers = { ...webhook.headers, ...(traceparent === undefined ? {} : { traceparent }) };
    const { correlationId } = (await hook.send({ ...webhook, headers })).body;
    const { event } = await bench.arrived(correlationId);
    expect(event.traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});

test("SEC-03: none of it left a secret in a table, a blob, a log line or an answer", async () => {
  expect(await bench.leaks()).toEqual([]);
});

/** A form knows texts alone. */
function asForm(payload: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
}

function effectsOf(correlationId: string): number {
  return bench.sink.effects().filter(({ request }) => request.headers["x-correlation-id"] === correlationId)
    .length;
}
