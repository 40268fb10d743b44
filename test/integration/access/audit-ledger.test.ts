import type { TableClient } from "@azure/data-tables";
import { afterEach, describe, expect, test } from "vitest";

import type { AuditRecord } from "../../../shared/audit/entry.ts";
import { createAuditTrail } from "../../../shared/audit/trail.ts";
import { verifyChain } from "../../../shared/audit/verify-chain.ts";
import { appendAudit, listAudit, newestFirst } from "../../../shared/ledgers/audit.ts";
import { newTable, tableNamed } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";

const held = proxyForFile();
const newLedger = (): Promise<TableClient> => newTable(held.proxy.connectionString);

afterEach(() => held.proxy.rules.clear());

const record = (correlationId: string): AuditRecord => ({
  at: new Date("2026-11-18T09:30:00.123Z"),
  actor: "0123456789abcdef",
  role: "admin",
  action: "connection.create",
  target: "connections/new",
  phase: "intent",
  correlationId,
  details: "{}",
});

describe("the audit ledger", () => {
  test.each(["reset", "busy"] as const)(
    "writes a record once when the answer to it is lost (%s)",
    async (answer) => {
      const table = await newLedger();
      await appendAudit(table, "t", [record("first")]);
      const fault = { kind: "lost-acknowledgement", answer } as const;
      const rule = held.proxy.rules.add({ match: { kind: "batch" }, times: 1, fault });
      await appendAudit(table, "t", [record("second")]);
      expect(rule.hits).toBe(1);
      expect(
        (await listAudit(table, "t", newestFirst, 10)).map(({ correlationId }) => correlationId),
      ).toEqual(["second", "first"]);
    },
  );

  test("writes everything once, in one chain, from several hosts through a bad connection", async () => {
    const table = await newLedger();
    for (const answer of ["reset", "busy"] as const) {
      const fault = { kind: "lost-acknowledgement", answer } as const;
      held.proxy.rules.add({ match: { kind: "batch" }, probability: 0.1, seed: 7, fault });
    }
    const hosts = Array.from({ length: 3 }, () => {
      const own = tableNamed(held.proxy.connectionString, table.tableName);
      return createAuditTrail(() => Promise.resolve(own));
    });
    const ids = Array.from({ length: 60 }, (_, index) => `c${index}`);
    await Promise.all(ids.map(async (id, index) => hosts[index % 3]?.append("t", record(id))));
    const found = await listAudit(table, "t", newestFirst, 100);
    expect(found.map(({ correlationId }) => correlationId).toSorted()).toEqual(ids.toSorted());
    expect(await verifyChain(table, "t", undefined, undefined)).toMatchObject({ ok: true, checked: 60 });
  });

  test("is followed in parts when it is long", async () => {
    const table = await newLedger();
    const many = Array.from({ length: 99 }, (_, index) => record(`c${index}`));
    for (let count = 0; count < 51; count++) await appendAudit(table, "t", many);
    const first = await verifyChain(table, "t", undefined, undefined);
    expect(first).toMatchObject({ ok: true, checked: 5_000, head: { seq: 5_049 } });
    expect(await verifyChain(table, "t", first.next, undefined)).toEqual({ ok: true, checked: 49 });
  });
});
