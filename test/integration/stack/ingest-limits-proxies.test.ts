import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type HookBench, startHookBench } from "../../support/hook-bench.ts";
import { signingCase } from "../../support/sign/signing-cases.ts";

let bench: HookBench;
/** Two proxies before the app: the host appends whom it sees, and the test is the one before it. */
beforeAll(async () => {
  bench = await startHookBench({ TRUSTED_PROXIES: "2" });
});
afterAll(() => bench?.stop());

describe("ING-03: behind another proxy, who may send", () => {
  test.each([
    { allowed: "192.0.2.0/24", seen: "192.0.2.7", status: 202 },
    { allowed: "192.0.2.0/24", seen: "192.0.2.7:50443", status: 202 },
    { allowed: "192.0.2.0/24", seen: "192.0.3.7", status: 403 },
    { allowed: "192.0.2.7", seen: "192.0.2.7", status: 202 },
    { allowed: "192.0.2.7/32", seen: "192.0.2.8", status: 403 },
    { allowed: "192.0.2.0/31", seen: "192.0.2.1", status: 202 },
    { allowed: "2a0a:a440::/29", seen: "2a0a:a447:ffff::1", status: 202 },
    { allowed: "2a0a:a440::/29", seen: "[2a0a:a440::1]:443", status: 202 },
    { allowed: "2a0a:a440::/29", seen: "2a0a:a448::1", status: 403 },
    { allowed: "2001:db8::1", seen: "2001:db8:0:0:0:0:0:1", status: 202 },
    { allowed: "2001:db8::1", seen: "2001:db8::2", status: 403 },
    { allowed: "192.0.2.0/24", seen: "::ffff:192.0.2.7", status: 202 },
    { allowed: "192.0.2.0/24", seen: "::ffff:192.0.3.7", status: 403 },
    { allowed: "0.0.0.0/0", seen: "2001:db8::1", status: 403 },
    { allowed: "0.0.0.0/0", seen: "unknown", status: 403 },
    { allowed: "0.0.0.0/0", seen: "", status: 403 },
    { allowed: "0.0.0.0/0", seen: "999.1.1.1", status: 403 },
  ])("with $allowed on the list: $seen -> $status", async ({ allowed, seen, status }) => {
    const hook = await bench.connectSource(signingCase("github"), { allowedIps: [allowed] });
    const { headers, body } = hook.sample();
    for (const claimed of ["", "192.0.2.7, ", "2a0a:a440::1, "]) {
      const answer = await hook.send({
        headers: { ...headers, "x-forwarded-for": `${claimed}${seen}` },
        body,
      });
      expect(answer.status, `${claimed}${seen}: ${answer.text}`).toBe(status);
    }
  });

  test("is nobody where the proxy says nothing", async () => {
    const hook = await bench.connectSource(signingCase("github"), { allowedIps: ["0.0.0.0/0", "::/0"] });
    expect((await hook.deliver()).status).toBe(403);
  });
});
