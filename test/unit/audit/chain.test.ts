import { assert, constantFrom, integer, nat, property, record } from "fast-check";
import { describe, expect, test } from "vitest";

import {
  type AuditEntry,
  type AuditRecord,
  chained,
  genesisHash,
  hashOf,
} from "../../../shared/audit/entry.ts";
import { follow, followToEnd } from "../../../shared/audit/verify.ts";

const sample: AuditRecord = {
  at: new Date("2026-11-18T09:30:00Z"),
  actor: "0123456789abcdef",
  role: "admin",
  action: "connection.create",
  target: "connections/new",
  phase: "intent",
  correlationId: "c",
  details: '{"name":"x"}',
};

function chain(length: number): AuditEntry[] {
  const entries: AuditEntry[] = [];
  let last = { seq: 0, hash: genesisHash };
  for (let count = 0; count < length; count++) {
    const entry = chained("t", { ...sample, correlationId: `c${count}` }, last);
    entries.unshift(entry);
    last = entry;
  }
  return entries;
}

const headOf = (entries: readonly AuditEntry[]): { seq: number; hash: string } => ({
  seq: entries[0]?.seq ?? 0,
  hash: entries[0]?.hash ?? genesisHash,
});

describe("SEC-02: the chain of the audit", () => {
  test("that nobody touched is followed to its beginning, in whatever pages", () => {
    assert(
      property(nat(30), integer({ min: 1, max: 10 }), (length, pageSize) => {
        const entries = chain(length);
        let next = headOf(entries);
        for (let start = 0; start < length; start += pageSize) {
          const followed = follow(next, entries.slice(start, start + pageSize));
          if (followed.kind === "broken") throw new Error(JSON.stringify(followed.at));
          ({ next } = followed);
        }
        expect(followToEnd(next).kind).toBe("whole");
      }),
    );
  });

  test("breaks at the entry that was changed, taken away or put elsewhere, whatever it was", () => {
    const fields = constantFrom(
      "actor",
      "role",
      "action",
      "target",
      "phase",
      "correlationId",
      "details",
      "prevHash",
    );
    const tampering = constantFrom("change", "remove", "swap", "reseal");
    assert(
      property(
        record({ length: integer({ min: 2, max: 20 }), at: nat(), tampering, field: fields }),
        (plan) => {
          const entries = chain(plan.length);
          const head = headOf(entries);
          const index = plan.at % plan.length;
          const entry = entries[index] ?? chain(1)[0];
          if (entry === undefined) throw new Error("no entry");
          const changed = { ...entry, [plan.field]: `${entry[plan.field]}x` };
          if (plan.tampering === "remove") entries.splice(index, 1);
          else if (plan.tampering === "change") entries[index] = changed;
          else if (plan.tampering === "reseal") entries[index] = { ...changed, hash: hashOf(changed) };
          else entries.reverse();
          const followed = follow(head, entries);
          const end = followed.kind === "whole" ? followToEnd(followed.next) : followed;
          expect(end.kind).toBe("broken");
        },
      ),
    );
  });

  test("is held against a hash that was noted before", () => {
    const entries = chain(3);
    const noted = { seq: 2, hash: entries[1]?.hash ?? "" };
    expect(follow(headOf(entries), entries, noted).kind).toBe("whole");
    expect(follow(headOf(entries), entries, { ...noted, hash: "0" })).toEqual({
      kind: "broken",
      at: { seq: 2, reason: "anchor-differs" },
    });
  });
});
