import type { TableClient } from "@azure/data-tables";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import {
  acknowledgeEscalation,
  type Escalation,
  forgetCause,
  listEscalations,
  raiseEscalation,
} from "../../../shared/ledgers/escalations.ts";
import {
  countDeadLetter,
  forgetDeadLetters,
  pauseRoute,
  readPauses,
  resumeRoute,
} from "../../../shared/ledgers/route-states.ts";
import { newTable } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";
import { at, tenantId } from "./fixtures.ts";

const held = proxyForFile();
let table: TableClient;
beforeEach(async () => {
  table = await newTable(held.proxy.connectionString);
});
afterEach(() => held.proxy.rules.clear());

const lost = { kind: "lost-acknowledgement", answer: "reset" } as const;

const escalation = (n: number, seconds = n): Escalation => ({
  escalationId: `e${n}`,
  raisedAt: at(seconds).toISOString(),
  code: "HTTP_422",
  message: "The vendor refuses the content.",
  runbook: "replay",
  routeName: "orders",
  correlationId: "c",
  objectId: "order-1",
  classification: "Validation",
  failureId: `f${n}`,
});

describe("an escalation", () => {
  test("is raised once for a cause, however many raise it", async () => {
    const raised = await Promise.all(
      Array.from({ length: 20 }, (_, n) => raiseEscalation(table, tenantId, "cause", escalation(n))),
    );
    expect(raised.filter(Boolean)).toHaveLength(1);
    expect((await listEscalations(table, tenantId, 10)).items).toHaveLength(1);
  });

  test("is known to be raised by the one whose acknowledgement was lost", async () => {
    held.proxy.rules.add({ match: { kind: "batch" }, times: 1, fault: lost });
    expect(await raiseEscalation(table, tenantId, "cause", escalation(1))).toBe(true);
    expect(await raiseEscalation(table, tenantId, "cause", escalation(2))).toBe(false);
  });

  test("can be raised again when its cause is over, or by another cause or tenant", async () => {
    await raiseEscalation(table, tenantId, "cause", escalation(1));
    expect(await raiseEscalation(table, "other", "cause", escalation(2))).toBe(true);
    expect(await raiseEscalation(table, tenantId, "another", escalation(3))).toBe(true);
    await forgetCause(table, tenantId, "cause");
    expect(await raiseEscalation(table, tenantId, "cause", escalation(4))).toBe(true);
  });

  test("is listed the newest first, page by page", async () => {
    for (let n = 1; n <= 5; n++) await raiseEscalation(table, tenantId, `cause ${n}`, escalation(n));
    const first = await listEscalations(table, tenantId, 3);
    const second = await listEscalations(table, tenantId, 3, first.after);
    const ids = [...first.items, ...second.items].map(({ escalationId }) => escalationId);
    expect(ids).toEqual(["e5", "e4", "e3", "e2", "e1"]);
    expect(second.after).toBeUndefined();
  });

  test("is acknowledged by the first who does", async () => {
    await raiseEscalation(table, tenantId, "cause", escalation(1));
    const [{ key } = { key: "" }] = (await listEscalations(table, tenantId, 1)).items;
    await acknowledgeEscalation(table, tenantId, key, "ann", at(10));
    const again = await acknowledgeEscalation(table, tenantId, key, "bob", at(20));
    expect(again).toMatchObject({ acknowledgedBy: "ann", acknowledgedAt: at(10).toISOString() });
    expect(await acknowledgeEscalation(table, "other", key, "eve", at(30))).toBeUndefined();
  });
});

describe("ERR-12: the dead letters of a route", () => {
  const count = (seconds: number): Promise<number> =>
    countDeadLetter(table, tenantId, "orders", at(seconds), 60_000).then((result) => result.count);

  test("are counted exactly, however many come at once", async () => {
    const counts = await Promise.all(Array.from({ length: 40 }, (_, n) => count(n)));
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  test("are counted once though the acknowledgement is lost", async () => {
    held.proxy.rules.add({ match: { kind: ["insert", "update"] }, times: 1, fault: lost });
    held.proxy.rules.add({ match: { kind: ["insert", "update"] }, skip: 1, times: 1, fault: lost });
    expect([await count(0), await count(1), await count(2)]).toEqual([1, 2, 3]);
  });

  test("are counted anew when the window is over, and when they are to be forgotten", async () => {
    expect([await count(0), await count(59), await count(60), await count(61)]).toEqual([1, 2, 1, 2]);
    await forgetDeadLetters(table, tenantId, "orders");
    expect(await count(62)).toBe(1);
  });
});

describe("pausing routes", () => {
  const pause = { reason: "too many dead letters", at: "2026-11-18T12:00:00Z", by: "flood-guard" };

  test("loses none of those that are paused at once", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `route-${n}`);
    await Promise.all(names.map((name) => pauseRoute(table, tenantId, name, pause)));
    expect(Object.keys(await readPauses(table, tenantId)).toSorted()).toEqual(names.toSorted());
    expect(await readPauses(table, "other")).toEqual({});
  });

  test("tells the first alone that it was running until now", async () => {
    const firsts = await Promise.all(
      Array.from({ length: 10 }, () => pauseRoute(table, tenantId, "orders", pause)),
    );
    expect(firsts.filter(Boolean)).toHaveLength(1);
    expect([
      await resumeRoute(table, tenantId, "orders"),
      await resumeRoute(table, tenantId, "orders"),
    ]).toEqual([true, false]);
  });
});
