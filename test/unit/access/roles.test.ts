import { describe, expect, test } from "vitest";

import { assertRole, assertTenant, type Caller } from "../../../shared/access/caller.ts";
import { roles } from "../../../shared/ledgers/api-keys.ts";

const caller: Caller = { tenantId: "acme", keyId: "k", role: "viewer" };

describe("a caller", () => {
  test("may do what its role and those below it may", () => {
    const allowed = roles.flatMap((role) =>
      roles.map((needed) => {
        try {
          assertRole({ ...caller, role }, needed);
          return `${role} may ${needed}`;
        } catch {
          return undefined;
        }
      }),
    );
    expect(allowed.filter((line) => line !== undefined)).toEqual([
      "viewer may viewer",
      "operator may viewer",
      "operator may operator",
      "admin may viewer",
      "admin may operator",
      "admin may admin",
    ]);
  });

  test("SEC-01: is told the same of another tenant's row as of none", () => {
    expect(() => assertTenant(caller, { tenantId: "acme" })).not.toThrow();
    const refusals = [{ tenantId: "other" }, undefined].map((row) => {
      try {
        assertTenant(caller, row);
        return undefined;
      } catch (error) {
        return JSON.stringify({ ...(error as object), message: (error as Error).message });
      }
    });
    expect(refusals[0]).toBe(refusals[1]);
    expect(refusals[0]).toContain("not-found");
  });
});
