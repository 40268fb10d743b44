import { createHmac, randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { findBacklogRoute, takeFromBacklog } from "../../../shared/ledgers/backlog.ts";
import { recordDeadLetter } from "../../../shared/failures/record-dead-letter.ts";
import { type Services, services } from "../../../shared/services.ts";
import { drainBacklog } from "../../../shared/work/drain-backlog.ts";
import { pullRequest } from "../../support/scenario.ts";
import { type Sink, startSink } from "../../support/sink.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";
import { until } from "../../support/until.ts";
import { as, newTenant, type ReplayingTenant, routeTo, type ShownFailure } from "./replaying-tenant.ts";

let stack: TestStack;
let sink: Sink;
/** Of this process, on the same storage as the host. */
let own: Services;

beforeAll(async () => {
  [stack, sink] = await Promise.all([startTestStack(), startSink()]);
  own = await services();
});

afterAll(async () => {
  await Promise.all([stack?.stop(), sink?.stop()]);
});

const silent = { event: () => {} };

function freshPath(): string {
  return `/f-${randomUUID().slice(0, 8)}`;
}

async function tenantWith(path: string, status: number, changes: object = {}): Promise<ReplayingTenant> {
  const tenant = await newTenant(stack, sink);
  sink.reply(path, { status });
  await tenant.put([routeTo(path, changes)]);
  return tenant;
}

describe("a dead letter", () => {
  test("ERR-04: has the whole event, the work, what went wrong and what to do", async () => {
    const path = freshPath();
    const tenant = await tenantWith(path, 401);
    const correlationId = await tenant.deliver(pullRequest(7));
    const [listed] = await tenant.failures(1);
    const whole = await tenant.failure(listed?.failureId ?? "");
    expect(whole).toMatchObject({
      origin: "route",
      state: "Parked",
      classification: "Auth",
      family: "permanent",
      attempts: 1,
      lastError: { code: "HTTP_401", httpStatus: 401, message: expect.stringContaining("401") as unknown },
      currentStep: "side-effect",
      correlationId,
      payloadHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      nextAction: "Mend the credential, then replay it.",
      workItem: { workId: listed?.failureId, routeName: path.slice(1), attempt: 1 },
      envelope: {
        specversion: "1.0",
        type: "github.events.pull_request.opened",
        correlationid: correlationId,
        data: { number: 7 },
      },
      dataWithheld: false,
    });
    const { items } = await tenant.get<{ items: { action: string }[] }>("audit");
    expect(items.map(({ action }) => action)).toContain("event.read-payload");
  });

  test("ERR-04: keeps what the event says from viewers, and nothing else", async () => {
    const path = freshPath();
    const tenant = await tenantWith(path, 401);
    await tenant.deliver(pullRequest(1, { note: "between us" }));
    const [{ failureId } = { failureId: "" }] = await tenant.failures(1);
    const seenBy = async (role: "viewer" | "operator"): Promise<string> =>
      (await (await as(tenant, role)).request("GET", `/api/v1/failures/${failureId}`)).text;
    expect(await seenBy("operator")).toContain("between us");
    const viewed = await seenBy("viewer");
    expect(viewed).not.toContain("between us");
    expect(JSON.parse(viewed)).toMatchObject({ dataWithheld: true, envelope: { specversion: "1.0" } });
  });

  test("is listed by state, route, class and code, and with all that wait for a person", async () => {
    const [auth, invalid] = [freshPath(), freshPath()];
    const tenant = await newTenant(stack, sink);
    sink.reply(auth, { status: 401 });
    sink.reply(invalid, { status: 422 });
    await tenant.put([routeTo(auth), routeTo(invalid, { intendedAction: "copy" })]);
    await tenant.deliver(pullRequest(1));
    await tenant.deliver(pullRequest(2));
    await tenant.failures(2);
    await tenant.failures(2, "Quarantined");
    const count = async (query: string): Promise<number> =>
      (await tenant.get<{ items: unknown[] }>(query)).items.length;
    expect(await count("failures")).toBe(2);
    expect(await count(`failures?routeName=${auth.slice(1)}&classification=Auth&code=HTTP_401`)).toBe(2);
    expect(await count("failures?classification=Validation")).toBe(0);
    expect(await count("failures?state=Quarantined&code=HTTP_422")).toBe(2);
    expect(await count("dead-letters")).toBe(4);
    expect(await count(`dead-letters?routeName=${invalid.slice(1)}`)).toBe(2);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const next = cursor === undefined ? "" : `&cursor=${cursor}`;
      const page = await tenant.get<{ items: ShownFailure[]; nextCursor?: string }>(
        `dead-letters?limit=3${next}`,
      );
      seen.push(...page.items.map(({ failureId }) => failureId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(4);
    const { groups, complete } = await tenant.get<{ groups: { count: number }[]; complete: boolean }>(
      "failures/groups",
    );
    expect(complete).toBe(true);
    expect(groups).toHaveLength(2);
    expect(groups).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ routeName: auth.slice(1), code: "HTTP_401", count: 2 }) as unknown,
        expect.objectContaining({ routeName: invalid.slice(1), code: "HTTP_422", count: 2 }) as unknown,
      ]),
    );
  });

  test("is discarded with a reason, once, and can still be replayed", async () => {
    const path = freshPath();
    const tenant = await tenantWith(path, 401);
    const correlationId = await tenant.deliver();
    const [{ failureId } = { failureId: "" }] = await tenant.failures(1);
    const discard = (reason?: string): Promise<{ status: number }> =>
      tenant.post(`failures/${failureId}/discard`, { reason });
    expect((await discard()).status).toBe(400);
    expect((await discard("done by hand")).status).toBe(200);
    expect((await discard("again")).status).toBe(200);
    expect(await tenant.failure(failureId)).toMatchObject({ state: "Discarded" });
    expect(await tenant.timeline(correlationId)).toContain("discarded");
    const { items } = await tenant.get<{ items: { action: string; details: object }[] }>("audit");
    expect(items.find(({ action }) => action === "failure.discard")).toBeDefined();
    sink.reply(path, {});
    expect(await tenant.replay({ failures: { state: "Discarded" } })).toMatchObject({ counts: { done: 1 } });
    expect((await discard("too late")).status).toBe(409);
  });

  test("ERR-11: in quarantine freezes its object until it is discarded", async () => {
    const path = freshPath();
    const routeName = path.slice(1);
    const tenant = await tenantWith(path, 422, { freezeOnQuarantine: true });
    await tenant.deliver(pullRequest(1));
    const [{ failureId } = { failureId: "" }] = await tenant.failures(1, "Quarantined");
    sink.reply(path, {});
    const second = await tenant.deliver(pullRequest(1, { later: true }));
    const other = await tenant.deliver(pullRequest(2));
    await until("the other object's event to be done", async () =>
      (await tenant.timeline(other)).includes("executed") ? true : undefined,
    );
    await until("the object's next event to be held", async () =>
      (await tenant.timeline(second)).includes("held") ? true : undefined,
    );
    expect(sink.effects(path)).toHaveLength(1);
    expect((await tenant.post(`failures/${failureId}/discard`, { reason: "sent by hand" })).status).toBe(200);
    const { backlog, routes } = own.backlog;
    expect(await takeFromBacklog(backlog, tenant.tenantId, routeName, 10)).toHaveLength(1);
    const waiting = await findBacklogRoute(routes, tenant.tenantId, routeName);
    await drainBacklog(own, silent, new Date((waiting?.dueAt.getTime() ?? 0) + 1));
    await sink.waitForEffects(2, path);
  });

  test("ERR-11: in quarantine can be replayed when its route is mended, and its object is free again", async () => {
    const path = freshPath();
    const tenant = await tenantWith(path, 422, { freezeOnQuarantine: true });
    const correlationId = await tenant.deliver(pullRequest(1));
    await tenant.failures(1, "Quarantined");
    sink.reply(path, {});
    expect(await tenant.replay({ failures: { state: "Quarantined" } })).toMatchObject({
      state: "Completed",
      counts: { done: 1 },
    });
    expect(await tenant.timeline(correlationId)).toEqual(
      expect.arrayContaining(["quarantined", "replayed", "executed", "resolved"]),
    );
    await tenant.deliver(pullRequest(1, { later: true }));
    await sink.waitForEffects(2, path);
  });

  test("ERR-11: a webhook that could not be read is read again and published when its connection is mended", async () => {
    const path = freshPath();
    const secret = "a secret of some length";
    const normaliser = { name: "shop", eventType: { path: "type" }, deliveryId: { path: "id" } };
    const tenant = await newTenant(stack, sink, {
      source: "generic",
      secret,
      schemeConfig: { header: "x-signature" },
      normaliserConfig: { ...normaliser, objectId: { path: "orderNumber" } },
    });
    const route = routeTo(
      path,
      { subject: "shop.#", ledger: { keyFormulaRef: "DELIVERY" } },
      { body: "{{data}}" },
    );
    await tenant.put([route]);
    const body = JSON.stringify({ id: "evt-1", type: "order.created", order_number: "A-17" });
    const send = (): Promise<Response> =>
      fetch(`${tenant.url}/hooks/${tenant.connectionId}`, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "x-signature": createHmac("sha256", secret).update(body).digest("hex"),
        },
      });
    expect((await send()).status).toBe(422);
    const [{ failureId, correlationId } = { failureId: "", correlationId: "" }] = await tenant.failures(
      1,
      "Quarantined",
    );
    const judged = await tenant.dryRun({ failureIds: [failureId] });
    expect(judged.items).toMatchObject([{ verdict: "would-fail" }]);
    expect((await tenant.dryRun({ events: { eventIds: [correlationId] } })).items).toMatchObject([
      { verdict: "would-fail", detail: expect.stringContaining("quarantine") as unknown },
    ]);
    const normaliserConfig = { ...normaliser, objectId: { path: "order_number" } };
    const patch = { body: { normaliserConfig } };
    await tenant.api.request("PATCH", `/api/v1/connections/${tenant.connectionId}`, patch);
    await until("the host to see the change", async () => {
      const { items } = await tenant.dryRun({ failureIds: [failureId] });
      return items[0]?.verdict === "would-run" ? items : undefined;
    });
    const replay = await tenant.replay({ failureIds: [failureId] });
    expect(replay).toMatchObject({ state: "Completed", counts: { published: 1 } });
    await sink.waitForEffects(1, path);
    expect(await tenant.failure(failureId)).toMatchObject({ state: "Resolved" });
    expect(await tenant.timeline(correlationId)).toEqual(
      expect.arrayContaining(["quarantined", "replayed", "resolved"]),
    );
    // The vendor, told of a failure, sends it again: it is the same event.
    expect((await send()).status).toBe(202);
    await until("the second delivery to be found done", async () => {
      const { items } = await tenant.dryRun({
        events: { from: new Date(Date.now() - 60_000).toISOString() },
      });
      return items[0]?.verdict === "dedupe-hit" ? items : undefined;
    });
    expect(sink.effects(path)).toHaveLength(1);
  });

  test("of an event that had no route is given to the routes there are by now", async () => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink, { onUnmatched: "dead-letter" });
    await tenant.put([]);
    const correlationId = await tenant.deliver();
    const [{ failureId } = { failureId: "" }] = await tenant.failures(1);
    expect(await tenant.failure(failureId)).toMatchObject({
      lastError: { code: "CONFIG_MISSING" },
      nextAction: expect.stringContaining("Add a route") as unknown,
    });
    expect((await tenant.dryRun({ failureIds: [failureId] })).items).toMatchObject([
      { verdict: "unmatched" },
    ]);
    await tenant.put([routeTo(path)]);
    expect(await tenant.replay({ failureIds: [failureId] })).toMatchObject({ counts: { done: 1 } });
    expect(sink.effects(path)).toHaveLength(1);
    expect(await tenant.failure(failureId)).toMatchObject({ state: "Resolved" });
    expect(await tenant.timeline(correlationId)).toEqual(expect.arrayContaining(["executed", "resolved"]));
  });

  test.each([
    ["router", {}],
    ["dispatcher", { pattern: "generic" }],
  ])("of a message that the bus could not give to the %s is routed again", async (entity, connection) => {
    const path = freshPath();
    const tenant = await newTenant(stack, sink, connection);
    await tenant.put([]);
    const correlationId = await tenant.deliver();
    const { body } = await tenant.api.request("GET", `/api/v1/events/${correlationId}`);
    const { envelope, data } = body as { envelope: object; data: object };
    await until("the event itself to have come through", async () => {
      const { items } = await tenant.get<{ items: unknown[] }>("events");
      return items.length === 1 ? true : undefined;
    });
    const metadata = { deliveryCount: 10, messageId: "m" };
    await recordDeadLetter(own, silent, entity, { ...envelope, data }, metadata);
    const [{ failureId } = { failureId: "" }] = await tenant.failures(1);
    await tenant.put([routeTo(path)]);
    expect(await tenant.replay({ failureIds: [failureId] })).toMatchObject({ counts: { done: 1 } });
    expect(sink.effects(path)).toHaveLength(1);
    expect(await tenant.failure(failureId)).toMatchObject({ origin: "bus", state: "Resolved" });
  });
});

interface Escalated {
  readonly key: string;
  readonly code: string;
  readonly failureId: string;
  readonly runbook: string;
  readonly acknowledgedBy?: string;
}

describe("an escalation", () => {
  test("ERR-09: is raised for every dead letter, acknowledged once, and audited", async () => {
    const path = freshPath();
    const tenant = await tenantWith(path, 401);
    await tenant.deliver();
    const [{ failureId } = { failureId: "" }] = await tenant.failures(1);
    const list = async (query = ""): Promise<Escalated[]> =>
      (await tenant.get<{ items: Escalated[] }>(`escalations${query}`)).items;
    const [escalation] = await until("the escalation", async () => {
      const items = await list();
      return items.length === 1 ? items : undefined;
    });
    expect(escalation).toMatchObject({ code: "HTTP_401", failureId, runbook: "replay" });
    const acknowledge = `escalations/${escalation?.key}/acknowledge`;
    const viewer = await as(tenant, "viewer");
    expect((await viewer.request("POST", `/api/v1/${acknowledge}`)).status).toBe(403);
    const operator = await as(tenant, "operator");
    const first = await operator.request("POST", `/api/v1/${acknowledge}`);
    expect(first.status).toBe(200);
    const second = await tenant.post(acknowledge);
    expect(second.body).toEqual(first.body);
    expect(await list("?acknowledged=false")).toEqual([]);
    expect(await list("?acknowledged=true")).toHaveLength(1);
    const { items } = await tenant.get<{ items: { action: string; phase: string }[] }>("audit");
    expect(items.filter(({ action }) => action === "escalation.acknowledge").length).toBeGreaterThanOrEqual(
      2,
    );
  });

  test("of another tenant is as if it did not exist", async () => {
    const path = freshPath();
    const tenant = await tenantWith(path, 401);
    await tenant.deliver();
    const [{ failureId } = { failureId: "" }] = await tenant.failures(1);
    const [escalation] = await until("the escalation", async () => {
      const { items } = await tenant.get<{ items: Escalated[] }>("escalations");
      return items.length === 1 ? items : undefined;
    });
    const stranger = await newTenant(stack, sink);
    expect(await stranger.get("escalations")).toEqual({ items: [] });
    const answers = await Promise.all([
      stranger.post(`escalations/${escalation?.key}/acknowledge`),
      stranger.post(`failures/${failureId}/discard`, { reason: "mine now" }),
      stranger.api.request("GET", `/api/v1/failures/${failureId}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await stranger.get("failures")).toEqual({ items: [] });
    expect(await stranger.get("dead-letters")).toEqual({ items: [] });
    expect(await stranger.get("failures/groups")).toEqual({ groups: [], complete: true });
  });
});
