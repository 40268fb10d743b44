import { describe, expect, test } from "vitest";

import { redact, redacted } from "../../../shared/audit/redact.ts";

describe("SEC-03: redaction", () => {
  test.each([
    "secret",
    "clientSecret",
    "X-Api-Key",
    "password",
    "access_token",
    "Authorization",
    "Set-Cookie",
  ])("hides what is called %s, however deep", (name) => {
    expect(redact({ a: [{ b: { [name]: "hidden" } }] })).toEqual({ a: [{ b: { [name]: redacted } }] });
  });

  test("leaves the rest as it is", () => {
    const value = { name: "x", enabled: true, limit: null, ips: ["10.0.0.0/8"], keyId: "0123" };
    expect(redact(value)).toEqual(value);
  });
});
