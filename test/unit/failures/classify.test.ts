import { describe, expect, test } from "vitest";

import { failureClasses } from "../../../shared/failures/classes.ts";
import {
  ClassifiedError,
  classifyError,
  classifyStatus,
  statusTable,
} from "../../../shared/failures/classify.ts";
import { errorTable } from "../../../shared/outbound/error-codes.ts";
import { SendError } from "../../../shared/outbound/send-error.ts";

const now = new Date("2026-03-01T12:00:00Z");
const answered = (
  status: number,
  headers: Record<string, string> = {},
): Parameters<typeof classifyStatus>[0] => ({ status, headers, host: "vendor.example" });

describe("an answer's status (ERR-01)", () => {
  test.each([
    [400, "Validation", false],
    [401, "Auth", false],
    [403, "Auth", false],
    [404, "Validation", false],
    [405, "Validation", false],
    [407, "Auth", false],
    [408, "Transient", false],
    [409, "Validation", false],
    [410, "Validation", false],
    [413, "Validation", false],
    [415, "Validation", false],
    [418, "Validation", false],
    [422, "Validation", false],
    [425, "Transient", false],
    [429, "RateLimited", false],
    [451, "Validation", false],
    [500, "Transient", false],
    [502, "Transient", true],
    [503, "Transient", false],
    [504, "Transient", true],
    [524, "Transient", true],
    [599, "Transient", false],
  ])("%d is %s", (status, classification, mayHaveHappened) => {
    expect(classifyStatus(answered(status), now)).toMatchObject({
      classification,
      mayHaveHappened,
      code: `HTTP_${status}`,
      httpStatus: status,
    });
  });

  test.each([200, 201, 202, 204, 299])("%d is no failure", (status) => {
    expect(classifyStatus(answered(status), now)).toBeUndefined();
  });

  test.each([300, 301, 302, 303, 304, 307, 308])("%d is a redirect, which is poison", (status) => {
    expect(classifyStatus(answered(status, { location: "http://169.254.169.254/" }), now)).toMatchObject({
      classification: "Poison",
      code: "REDIRECT",
    });
  });

  test("every status there is has a class and says something", () => {
    for (let status = 300; status < 600; status++) {
      const failing = classifyStatus(answered(status), now);
      expect(Object.keys(failureClasses)).toContain(failing?.classification);
      expect(failing?.message).toMatch(/^vendor\.example answered \d{3}: \w/);
    }
  });

  test("ERR-03: 429 and 503 keep how long the vendor asked for", () => {
    expect(classifyStatus(answered(429, { "retry-after": "12" }), now)).toMatchObject({
      retryAfterSeconds: 12,
    });
    expect(classifyStatus(answered(503, { "retry-after": "12" }), now)).toMatchObject({
      classification: "Transient",
      retryAfterSeconds: 12,
    });
    expect(classifyStatus(answered(429), now)).not.toHaveProperty("retryAfterSeconds");
  });

  test("ERR-02: GitHub's 403 with a used-up window is a rate limit, and one without is not", () => {
    const reset = String(now.getTime() / 1000 + 600);
    const used = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
    expect(classifyStatus(answered(403, used), now)).toMatchObject({
      classification: "RateLimited",
      retryAfterSeconds: 600,
    });
    expect(classifyStatus(answered(429, used), now)).toMatchObject({ retryAfterSeconds: 600 });
    expect(classifyStatus(answered(403, { "retry-after": "60" }), now)).toMatchObject({
      classification: "RateLimited",
      retryAfterSeconds: 60,
    });
    expect(classifyStatus(answered(403, { ...used, "x-ratelimit-remaining": "41" }), now)).toMatchObject({
      classification: "Auth",
    });
    expect(classifyStatus(answered(500, used), now)).not.toHaveProperty("retryAfterSeconds");
  });

  test("a route's own classes win over the table", () => {
    const classes = { "409": "Success", "404": "Transient", "200": "Validation" } as const;
    expect(classifyStatus(answered(409), now, classes)).toBeUndefined();
    expect(classifyStatus(answered(404), now, classes)).toMatchObject({
      classification: "Transient",
      code: "HTTP_404",
    });
    expect(classifyStatus(answered(200), now, classes)).toMatchObject({ classification: "Validation" });
  });

  test("the tables name each thing once", () => {
    const statuses = statusTable.map(({ status }) => status);
    expect(new Set(statuses).size).toBe(statuses.length);
    const codes = errorTable.flatMap(({ from }) => from);
    expect(new Set(codes).size).toBe(codes.length);
    for (const { code } of errorTable) expect(code).toMatch(/^[A-Z_]+$/);
  });
});

describe("a request without an answer (ERR-01)", () => {
  test.each([
    ["ADDRESS_BLOCKED", "Poison", "ADDRESS_BLOCKED"],
    ["HTTPS_REQUIRED", "Poison", "HTTPS_REQUIRED"],
    ["URL_INVALID", "Poison", "CONFIG_INVALID"],
    ["CERT_HAS_EXPIRED", "Poison", "TLS_INVALID"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "Poison", "TLS_INVALID"],
    ["ENOTFOUND", "Transient", "DNS_FAILED"],
    ["EAI_AGAIN", "Transient", "DNS_FAILED"],
    ["ECONNREFUSED", "Transient", "UNREACHABLE"],
    ["ECONNRESET", "Transient", "CONNECTION_LOST"],
    ["EPIPE", "Transient", "CONNECTION_LOST"],
    ["ETIMEDOUT", "Transient", "TIMEOUT"],
    ["TIMEOUT", "Transient", "TIMEOUT"],
    ["HPE_INVALID_CONSTANT", "Transient", "NO_ANSWER"],
  ])("%s is %s, %s", (code, classification, named) => {
    expect(classifyError(new SendError(code, false))).toMatchObject({
      classification,
      code: named,
      mayHaveHappened: false,
    });
  });

  test("LED-04: what was sent may have happened", () => {
    expect(classifyError(new SendError("ECONNRESET", true)).mayHaveHappened).toBe(true);
    expect(classifyError(new SendError("TIMEOUT", true)).mayHaveHappened).toBe(true);
  });

  test("what is classified already stays so", () => {
    const failing = { classification: "Auth", code: "X", message: "m", mayHaveHappened: false } as const;
    expect(classifyError(new ClassifiedError(failing))).toBe(failing);
  });

  test("SEC-03: says nothing of what an unexpected error says", () => {
    const failing = classifyError(new Error("connect with password hunter2"), "vendor.example");
    expect(failing).toMatchObject({
      classification: "Transient",
      code: "UNEXPECTED",
      mayHaveHappened: false,
    });
    expect(JSON.stringify(failing)).not.toContain("hunter2");
    expect(classifyError("a text").code).toBe("UNEXPECTED");
  });
});
