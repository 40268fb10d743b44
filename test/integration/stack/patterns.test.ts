import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Envelope } from "../../../shared/envelope/envelope.ts";
import { failuresTable, findFailure } from "../../../shared/ledgers/failures.ts";
import { findSubject, subjectsTable } from "../../../shared/ledgers/subjects.ts";
import { type Hook, type HookBench, startHookBench } from "../../support/hook-bench.ts";
import { vendors } from "../../support/sign/sample-webhook.ts";
import { type SigningCase, signingCase, signingCases } from "../../support/sign/signing-cases.ts";
import { until } from "../../support/until.ts";

let bench: HookBench;
beforeAll(async () => {
  bench = await startHookBench();
});
afterAll(() => bench?.stop());

/** All of an event but what names this very one: nothing of it may differ. */
function outcomeOf(event: Envelope): object {
  const { id, source, connectionid, correlationid, causationid, traceparent, receivedat, dataref, ...rest } =
    event;
  return { ...rest, time: rest.time === receivedat ? "when it was received" : rest.time };
}

async function bothPatterns(how: SigningCase): Promise<{ specific: Hook; generic: Hook }> {
  const [specific, generic] = await Promise.all([
    bench.connectSource(how, { pattern: "specific" }),
    bench.connectSource(how, { pattern: "generic" }),
  ]);
  return { specific, generic };
}

describe("ING-08, ING-09: patterns 1 and 2", () => {
  test.each(signingCases)("have the same outcome for every event of $name", async (how) => {
    const { specific, generic } = await bothPatterns(how);
    const subjects = vendors[how.source].samples("any").map(({ subject }) => subject);
    await Promise.all(
      subjects.map(async (subject) => {
        const options = { subject, delivery: randomUUID() };
        const [one, other] = await Promise.all([specific.deliver(options), generic.deliver(options)]);
        expect([one.status, other.status]).toEqual([202, 202]);
        const { event: direct } = await bench.arrived(one.body.correlationId);
        const { event: dispatched } = await bench.arrived(other.body.correlationId);
        expect(direct.type).toBe(subject);
        expect(outcomeOf(dispatched)).toEqual(outcomeOf(direct));
      }),
    );
  });

  test("differ in who names the event: the dispatcher's is caused by the generic one and goes on with its trace", async () => {
    const { specific, generic } = await bothPatterns(signingCase("gitlab, token"));
    const [one, other] = await Promise.all([specific.deliver(), generic.deliver()]);
    const direct = await bench.arrived(one.body.correlationId);
    expect(direct.event.causationid).toBeUndefined();

    const { correlationId } = other.body;
    const { event, headers } = await bench.arrived(correlationId);
    const { envelope } = await bench.stored(correlationId);
    expect(envelope.type).toBe("external.events.gitlab");
    expect(event.causationid).toBe(envelope.id);
    expect(event.id).not.toBe(envelope.id);
    expect(event.correlationid).toBe(correlationId);
    expect(headers["x-correlation-id"]).toBe(correlationId);
    expect(traceOf(event.traceparent)).toBe(traceOf(envelope.traceparent));
    expect(event.traceparent).not.toBe(envelope.traceparent);

    const { body } = await bench.api.request("GET", `/api/v1/correlations/${correlationId}`);
    const { timeline } = body as { timeline: readonly { readonly kind: string }[] };
    expect(timeline.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["received", "dispatched", "routed"]),
    );
  });

  test.each([100 * 1024, 400 * 1024])("have the same outcome for a body of %i bytes", async (size) => {
    const { specific, generic } = await bothPatterns(signingCase("github"));
    const options = { delivery: randomUUID(), change: { filler: "x".repeat(size) } };
    const [one, other] = await Promise.all([specific.deliver(options), generic.deliver(options)]);
    const { event: direct } = await bench.arrived(one.body.correlationId);
    const { event: dispatched } = await bench.arrived(other.body.correlationId);
    expect(JSON.stringify(outcomeOf(dispatched)) === JSON.stringify(outcomeOf(direct))).toBe(true);
  });

  test("both know a duplicate", async () => {
    const { generic } = await bothPatterns(signingCase("stripe"));
    const webhook = generic.sample();
    const answers = await Promise.all(Array.from({ length: 10 }, () => generic.send(webhook)));
    expect(answers.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
    const correlationId = answers[0]?.body.correlationId ?? "";
    await bench.arrived(correlationId);
    await bench.stack.host.idle();
    const effects = bench.sink
      .effects()
      .filter(({ request }) => request.headers["x-correlation-id"] === correlationId);
    expect(effects).toHaveLength(1);
  });
});

describe("ING-09, ING-13: a payload the dispatcher can make nothing of", () => {
  test("is accepted, quarantined behind the bus, and escalated; sent again it is a duplicate", async () => {
    const { specific, generic } = await bothPatterns(signingCase("github"));
    const broken = { delivery: randomUUID(), change: { pull_request: {} } };
    expect((await specific.deliver(broken)).status).toBe(422);

    const first = await generic.deliver(broken);
    expect(first.status).toBe(202);
    const { correlationId } = first.body;
    const table = await bench.stack.platform.table(failuresTable);
    const failure = await until("the quarantine record", () => findFailure(table, "demo", correlationId));
    expect(failure).toMatchObject({
      state: "Quarantined",
      classification: "Validation",
      code: "PAYLOAD_UNUSABLE",
      correlationId,
      currentStep: "normalise",
    });
    expect(failure.message).toContain("pull_request.number");
    await until("the log line", () =>
      bench.logged("webhook.quarantined").find((line) => line["correlationId"] === correlationId),
    );
    expect((await generic.deliver(broken)).body).toEqual({ correlationId, duplicate: true });
    await bench.stack.host.idle();
    expect((await findFailure(table, "demo", correlationId))?.revision).toBe(failure.revision);
    const requests = bench.sink.requests.filter(
      ({ headers }) => headers["x-correlation-id"] === correlationId,
    );
    expect(requests).toEqual([]);
  });
});

describe("ING-10: the catalog", () => {
  const contactRoute = (subject: string): object => ({
    routes: [
      {
        routeName: "to-sink",
        enabled: true,
        subject,
        endpointKey: "sink",
        operation: { kind: "generic-http", method: "POST" },
      },
    ],
    endpoints: { sink: { url: "https://sink.example" } },
  });

  async function warningsFor(subject: string): Promise<string> {
    const { body } = await bench.api.request("POST", "/api/v1/config/routes/validate", {
      body: contactRoute(subject),
    });
    return JSON.stringify((body as { warnings: unknown }).warnings);
  }

  test.each(["specific", "generic"])(
    "learns the subjects that pattern %s brings, and suggests them",
    async (pattern) => {
      const name = `warehouse-${pattern}`;
      const how = signingCase("standard-webhooks, v1");
      const hook = await bench.connectSource(how, { pattern, normaliserConfig: { name } });
      const subject = `${name}.events.contact.created`;
      const misspelt = `${name}.events.contact.creatd`;
      expect(await warningsFor(subject)).toContain(subject);

      const { correlationId } = (await hook.deliver()).body;
      await bench.arrived(correlationId);
      const table = await bench.stack.platform.table(subjectsTable);
      const observed = await until("the subject to be noted", () => findSubject(table, "demo", subject));
      expect(observed.count).toBe(1);
      expect(observed.fieldPaths).toEqual(expect.arrayContaining(["type", "data.id"]));
      expect(await warningsFor(subject)).not.toContain(subject);
      expect(await warningsFor(misspelt)).toMatch(new RegExp(`did you mean .?'?${subject}`, "i"));
    },
  );
});

test("SEC-03: none of it left a secret in a table, a blob, a log line or an answer", async () => {
  expect(await bench.leaks()).toEqual([]);
});

function traceOf(traceparent: string): string | undefined {
  return traceparent.split("-")[1];
}
