import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { escalationsTable, listEscalations } from "../../../shared/ledgers/escalations.ts";
import { type Failure, failuresTable, findFailure } from "../../../shared/ledgers/failures.ts";
import { readBody } from "../../../shared/ingest/raw-body.ts";
import { type Hook, type HookAnswer, type HookBench, startHookBench } from "../../support/hook-bench.ts";
import { signingCase } from "../../support/sign/signing-cases.ts";
import { until } from "../../support/until.ts";

let bench: HookBench;
beforeAll(async () => {
  bench = await startHookBench();
});
afterAll(() => bench?.stop());

const github = (settings?: object): Promise<Hook> => bench.connectSource(signingCase("github"), settings);
const json = { "Content-Type": "application/json" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };

/** More than any webhook has, of which none may cost more than it is worth. */
const bombs: readonly (readonly [string, string])[] = [
  ["arrays a hundred thousand deep", "[".repeat(100_000)],
  ["closed arrays a hundred thousand deep", "[".repeat(100_000) + "]".repeat(100_000)],
  ["objects a hundred thousand deep", '{"a":'.repeat(100_000)],
  ["an array of three million values", `[${"0,".repeat(3_000_000)}0]`],
  ["three million empty arrays", `[${"[],".repeat(3_000_000)}0]`],
  ["one key a million times", `{${'"a":1,'.repeat(1_000_000)}"a":1}`],
  ["a number of a million digits", `{"number":${"9".repeat(1_000_000)}}`],
  ["a text of ten million escapes that does not end", `{"text":"${"\\\\".repeat(10_000_000)}`],
];

describe("ING-13: a signed webhook that cannot be read", () => {
  test.each([
    ["malformed JSON", Buffer.from('{"action":'), json, "body"],
    ["two JSON texts", Buffer.from("{}{}"), json, "body"],
    ["JavaScript", Buffer.from("{action: 'opened'}"), json, "body"],
    ["NaN", Buffer.from('{"number": NaN}'), json, "body"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), json, "body"],
    ["UTF-16", Buffer.from('{"action":"opened"}', "utf16le"), json, "body"],
    ["nothing", Buffer.alloc(0), json, "body"],
    ["white space", Buffer.from(" \r\n\t "), json, "body"],
    ["an empty form", Buffer.alloc(0), form, "body"],
    ["a form with malformed JSON", Buffer.from("payload=%7B%22action%22"), form, "payload"],
    ["a form that is not UTF-8", Buffer.from([0x61, 0x3d, 0xff]), form, "body"],
    ["a form of two thousand fields", Buffer.from("a=b&".repeat(2000)), form, "body"],
    ["null", Buffer.from("null"), json, "repository.full_name"],
    ["a number", Buffer.from("42"), json, "repository.full_name"],
    ["a text", Buffer.from('"pull_request"'), json, "repository.full_name"],
    ["a list", Buffer.from("[[]]"), json, "repository.full_name"],
    ["a hundred KB of nothing", Buffer.from(`{"filler":"${"x".repeat(100_000)}"`), json, "body"],
  ])(
    "(%s) is refused with what is wrong, kept as it is, and escalated once",
    async (_, body, headers, field) => {
      const hook = await github();
      const webhook = hook.signed(body, headers);
      const answer = await hook.send(webhook);
      expectRefused(answer, field);
      const { correlationId } = answer.body;
      const failure = await expectRecord(correlationId);
      expect(failure.message).toContain(field);

      const stored = await bench.stored(correlationId);
      expect(stored.problem).toBe(failure.message);
      const bytes = await readBody(() => bench.stack.platform.container("raw"), stored);
      expect(Buffer.from(bytes).equals(body)).toBe(true);

      const again = await hook.send(webhook);
      expectRefused(again, field);
      expect(again.body.correlationId).toBe(correlationId);
      expect((await expectRecord(correlationId)).revision).toBe(failure.revision);
      expect(await bench.storedBy(hook.connectionId)).toBe(1);
      expect(
        bench.sink.requests.filter((request) => request.headers["x-correlation-id"] === correlationId),
      ).toEqual([]);
    },
  );

  test("is one, though it comes twenty times at once", async () => {
    const hook = await github();
    const webhook = hook.signed('{"action":');
    const answers = await Promise.all(Array.from({ length: 20 }, () => hook.send(webhook)));
    const ids = new Set(answers.map(({ body }) => body.correlationId));
    expect(ids.size).toBe(1);
    for (const answer of answers) expectRefused(answer, "body");
    expect((await expectRecord([...ids][0] ?? "")).revision).toBe(1);
  });

  test.each(bombs)("(%s) is refused while others are served", async (_, text) => {
    const hook = await github();
    const [answer, other] = await Promise.all([hook.send(hook.signed(text)), hook.deliver()]);
    expect(answer.status, answer.text).toBe(422);
    expect(other.status).toBe(202);
  });

  test("is not quoted in the answer, the record or the log", async () => {
    const hook = await github();
    const answer = await hook.send(hook.signed('{"password": hunter2-in-the-clear}'));
    expectRefused(answer, "body");
    const failure = await expectRecord(answer.body.correlationId);
    const said = JSON.stringify([answer.text, failure, bench.logged("webhook.quarantined")]);
    expect(said).not.toContain("hunter2");
  });
});

describe("ING-13: a signed webhook that lacks something", () => {
  test.each([
    { source: "github", lacks: "repository.full_name", change: { repository: undefined } },
    { source: "github", lacks: "pull_request.number", change: { pull_request: { title: "no number" } } },
    {
      source: "gitlab, token",
      lacks: "object_attributes.iid",
      change: { object_attributes: { action: "open" } },
    },
    { source: "gitlab, signed", lacks: "project.path_with_namespace", change: { project: undefined } },
    { source: "stripe", lacks: "id", change: { id: undefined } },
    { source: "stripe", lacks: "type", change: { type: null } },
    { source: "stripe", lacks: "data.object.object", change: { data: {} } },
    { source: "terraform-cloud", lacks: "notifications[0].trigger", change: { notifications: [] } },
    { source: "terraform-cloud", lacks: "run_id", change: { run_id: null } },
    { source: "slack", lacks: "event_id", change: { event_id: undefined } },
    { source: "slack", lacks: "event.type", change: { event: {} } },
    { source: "workfront", lacks: "eventType", change: { eventType: undefined } },
    { source: "workfront", lacks: "newState.ID", change: { newState: {} } },
    { source: "standard-webhooks, v1", lacks: "type", change: { type: "" } },
    { source: "generic, HMAC of the body alone", lacks: "order.id", change: { order: {} } },
  ])("($source: $lacks) is told which field it is", async ({ source, lacks, change }) => {
    const hook = await bench.connectSource(signingCase(source));
    const answer = await hook.deliver({ change });
    expectRefused(answer, lacks);
    const failure = await expectRecord(answer.body.correlationId);
    expect(failure.message).toContain(lacks);
  });

  test("(github: X-GitHub-Event) is told which header it is", async () => {
    const hook = await github();
    const { headers, body } = hook.sample();
    const answer = await hook.send({ headers: { ...headers, "X-GitHub-Event": "" }, body });
    expectRefused(answer, "X-GitHub-Event");
    expect(answer.body.detail).toContain("X-GitHub-Event");
  });

  test("is accepted when it comes again, mended, under the same delivery id", async () => {
    const hook = await github();
    const delivery = randomUUID();
    expectRefused(await hook.deliver({ delivery, change: { pull_request: {} } }), "pull_request.number");
    const mended = await hook.deliver({ delivery });
    expect(mended.body.duplicate).toBe(false);
    await bench.arrived(mended.body.correlationId);
  });
});

test("ING-13: what was quarantined for a connection's settings is no duplicate once they are mended", async () => {
  const how = signingCase("generic, HMAC of the body alone");
  const mended = { name: "shop", eventType: { value: "shipped" }, objectId: { path: "order.id" } };
  const broken = { ...mended, objectId: { path: "order.number" } };
  const hook = await bench.connectSource(how, { normaliserConfig: broken });
  const webhook = hook.sample();
  expectRefused(await hook.send(webhook), "order.number");
  const path = `/api/v1/connections/${hook.connectionId}`;
  await bench.api.request("PATCH", path, { body: { normaliserConfig: mended } });
  const answer = await until("the new settings to be seen", async () => {
    const each = await hook.send(webhook);
    return each.status === 202 ? each : undefined;
  });
  expect(answer.body.duplicate).toBe(false);
  expect((await bench.arrived(answer.body.correlationId)).event.type).toBe("shop.events.shipped");
});

describe("ING-13: a signed webhook of a type that no source sends", () => {
  const body = Buffer.from(JSON.stringify({ action: "opened" }));

  test.each([
    ["text/plain", {}],
    ["application/xml", {}],
    ["multipart/form-data; boundary=x", {}],
    ["application/json; charset=iso-8859-1", {}],
    ["application/octet-stream", {}],
    ["application/json", { "Content-Encoding": "gzip" }],
  ])("(%s, %o) is refused with 415 and not kept", async (contentType, more) => {
    const hook = await github();
    const bytes = "Content-Encoding" in more ? gzipSync(body) : body;
    const answer = await hook.send(hook.signed(bytes, { "Content-Type": contentType, ...more }));
    expect(answer.status, answer.text).toBe(415);
    expect(answer.body.code).toBe("unsupported-media-type");
    expect(await bench.storedBy(hook.connectionId)).toBe(0);
  });

  test.each(["application/vnd.github.v3+json", "application/json; charset=UTF-8", "APPLICATION/JSON"])(
    "is not one whose type is %s",
    async (contentType) => {
      const hook = await github();
      const sample = hook.sample();
      const answer = await hook.send(hook.signed(sample.body, { "Content-Type": contentType }));
      expect(answer.status, answer.text).toBe(202);
    },
  );
});

test("ING-13: nothing is lost when the record of a quarantine cannot be written at once", async () => {
  const hook = await github();
  const table = await bench.stack.platform.table(failuresTable);
  await table.deleteTable();
  const answer = await hook.send(hook.signed('{"lost":'));
  expectRefused(answer, "body");
  await table.createTable();
  const { correlationId } = answer.body;
  await until("the sweeper to record it", async () => {
    await bench.stack.host.fire("sweep-inbox");
    return findFailure(table, "demo", correlationId);
  });
  expect((await expectRecord(correlationId)).message).toContain("body");
});

test("SEC-03: none of it left a secret in a table, a blob, a log line or an answer", async () => {
  expect(await bench.leaks()).toEqual([]);
});

function expectRefused(answer: HookAnswer, field: string): void {
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.code).toBe("payload-unusable");
  expect(answer.body.errors).toMatchObject([{ path: field }]);
  expect(answer.headers.get("x-correlation-id")).toBe(answer.body.correlationId);
}

/** One failure, one escalation. */
async function expectRecord(correlationId: string): Promise<Failure> {
  const { platform } = bench.stack;
  const failure = await findFailure(await platform.table(failuresTable), "demo", correlationId);
  expect(failure).toMatchObject({
    state: "Quarantined",
    origin: "ingest",
    classification: "Validation",
    code: "PAYLOAD_UNUSABLE",
    correlationId,
  });
  const { items } = await listEscalations(await platform.table(escalationsTable), "demo", 10_000);
  const mine = items.filter((item) => item.correlationId === correlationId);
  expect(mine).toHaveLength(1);
  expect(mine[0]).toMatchObject({ code: "PAYLOAD_UNUSABLE", runbook: "poison-message" });
  if (failure === undefined) throw new Error("There is no failure");
  return failure;
}
