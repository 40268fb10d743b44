import { describe, expect, test } from "vitest";

import type { AuditRecord } from "../../../shared/audit/entry.ts";
import { audited, type Change } from "../../../shared/audit/audited.ts";
import type { AuditTrail } from "../../../shared/audit/trail.ts";
import { Fault } from "../../../shared/faults.ts";

const rule = { action: "thing.create", target: "things/{thingId}", details: ["name", "password"] };

interface Scene {
  readonly written: AuditRecord[];
  readonly warnings: string[];
  readonly trail: AuditTrail;
  readonly change: Change;
}

/** A trail that fails from the given record on. */
function scene(failsAt = Infinity): Scene {
  const written: AuditRecord[] = [];
  const warnings: string[] = [];
  const trail: AuditTrail = {
    append: (_, record) => {
      if (written.length >= failsAt) return Promise.reject(new Error("storage is away"));
      written.push(record);
      return Promise.resolve();
    },
  };
  const change = {
    caller: { tenantId: "t", keyId: "k", role: "admin" },
    correlationId: "c",
    now: () => new Date(0),
    params: {},
    body: { name: "x", password: "p", other: "o" },
    warn: (line: string) => void warnings.push(line),
  } as const;
  return { written, warnings, trail, change };
}

describe("a change that is audited", () => {
  test("keeps what its endpoint names, and of that no secret", async () => {
    const { trail, change, written } = scene();
    await audited(trail, rule, change, () => Promise.resolve({ status: 201, body: { thingId: "7" } }));
    expect(
      written.map(({ phase, target, details }) => [phase, target, JSON.parse(details) as object]),
    ).toEqual([
      ["intent", "things/new", { name: "x", password: "[redacted]" }],
      ["done", "things/7", {}],
    ]);
  });

  test("is not made when its intent cannot be written", async () => {
    const { trail, change } = scene(0);
    let made = false;
    const making = audited(trail, rule, change, () => {
      made = true;
      return Promise.resolve({ status: 201 });
    });
    await expect(making).rejects.toMatchObject({ code: "unavailable" });
    expect(made).toBe(false);
  });

  test("stands when only its outcome cannot be written, and the log says so", async () => {
    const { trail, change, warnings } = scene(1);
    const answer = await audited(trail, rule, change, () => Promise.resolve({ status: 201 }));
    expect(answer.status).toBe(201);
    expect(warnings).toEqual([expect.stringContaining("thing.create is not in the audit")]);
  });

  test("that failed says with which fault, and fails as it did", async () => {
    const { trail, change, written } = scene();
    const making = audited(trail, rule, change, () => Promise.reject(new Fault("conflict")));
    await expect(making).rejects.toMatchObject({ code: "conflict" });
    expect(written.at(-1)).toMatchObject({ phase: "failed", details: '{"fault":"conflict"}' });
  });

  test("does not keep more than a row takes", async () => {
    const { trail, change, written } = scene();
    const body = { name: "x".repeat(10_000) };
    await audited(trail, rule, { ...change, body }, () => Promise.resolve({ status: 204 }));
    expect(JSON.parse(written[0]?.details ?? "")).toEqual({ tooLong: 10_011 });
  });
});
