import { describe, expect, test } from "vitest";

import { nameFailure } from "../../../shared/api/unavailable.ts";
import { Fault } from "../../../shared/faults.ts";
import { problemResponse } from "../../../shared/problem.ts";

describe("a problem", () => {
  test("says what, why, what to do, and where", () => {
    const errors = [{ path: "body.name", message: "is missing" }];
    const { status, headers, body } = problemResponse(
      new Fault("request-invalid", undefined, { errors }),
      "id-1",
    );
    expect(status).toBe(400);
    expect(headers).toEqual({ "content-type": "application/problem+json", "x-correlation-id": "id-1" });
    expect(JSON.parse(body)).toMatchObject({ code: "request-invalid", correlationId: "id-1", errors });
  });

  test("says when to come again, in whole seconds", () => {
    const fault = new Fault("too-many-requests", undefined, { retryAfterSeconds: 1.2 });
    expect(problemResponse(fault, "x").headers["retry-after"]).toBe("2");
  });

  test("says nothing of what nobody foresaw", () => {
    const fault = nameFailure(new TypeError("secret is not iterable"));
    expect(fault.code).toBe("unexpected");
    expect(JSON.stringify(problemResponse(fault, "x"))).not.toContain("iterable");
  });
});

describe("a failure of a service", () => {
  test.each([
    [{ statusCode: 503 }, "unavailable"],
    [{ statusCode: 429 }, "unavailable"],
    [{ code: "ECONNREFUSED" }, "unavailable"],
    [{ code: "ServiceTimeout" }, "unavailable"],
    [{ statusCode: 403, code: "ECONNREFUSED" }, "unexpected"],
    [{ code: "ERR_INVALID_ARG_TYPE" }, "unexpected"],
  ])("that throws %o is %s", (fields, code) => {
    expect(nameFailure(Object.assign(new Error("x"), fields)).code).toBe(code);
  });
});
