import { describe, expect, test } from "vitest";

import type { Endpoint, Route } from "../../../shared/config/route-schema.ts";
import type { RequestPreview } from "../../../shared/operations/operation.ts";
import { bindOperation } from "../../../shared/operations/operations.ts";
import { createOutboundClient } from "../../../shared/outbound/client.ts";
import { inputWith, traceId } from "./example.ts";

const client = createOutboundClient({});

function preview(endpoint: Partial<Endpoint>, operation: Partial<Route["operation"]> = {}): RequestPreview {
  return bindOperation({
    endpoint: { url: "https://vendor.example/api", ...endpoint },
    operation: { kind: "generic-http", ...operation },
    targetSystem: "vendor",
    secretOf: () => Promise.reject(new Error("A dry run asks for no secret.")),
    client,
  }).preview(inputWith({ id: 7 }));
}

describe("what a dry run shows", () => {
  test("is the request as it would be sent", () => {
    const shown = preview({}, { method: "PUT", path: "/items/{{data.id}}", body: { id: "{{data.id}}" } });
    expect(shown).toMatchObject({
      method: "PUT",
      url: "https://vendor.example/api/items/7",
      body: '{"id":7}',
      headers: {
        "content-type": "application/json",
        traceparent: `00-${traceId}-<span id>-01`,
        "x-correlation-id": "correlation-1",
      },
    });
  });

  test("LED-04: holds the idempotency key under the vendor's header", () => {
    const { headers } = preview({}, { idempotencyHeader: "Idempotency-Key" });
    expect(headers["idempotency-key"]).toBe("key-1");
  });

  test.each([
    [{ scheme: "bearer", secretName: "vendor-token" }, "authorization", "Bearer <secret vendor-token>"],
    [
      { scheme: "basic", secretName: "vendor-pass", username: "u" },
      "authorization",
      "Basic <secret vendor-pass>",
    ],
    [{ scheme: "header", secretName: "vendor-key", header: "X-Api-Key" }, "x-api-key", "<secret vendor-key>"],
  ] as const)("SEC-03: names the secret and does not ask for it: %j", (auth, header, value) => {
    expect(preview({ auth }).headers[header]).toBe(value);
  });

  test("SEC-03: leaves out what somebody wrote into a header or query that should hold no secret", () => {
    const shown = preview({
      url: "https://vendor.example/?access_token=LEAK",
      headers: { Authorization: "LEAK" },
    });
    expect(JSON.stringify(shown)).not.toContain("LEAK");
  });

  test("ERR-01: the scheme `header` without a header is a problem of the configuration", () => {
    expect(() => preview({ auth: { scheme: "header", secretName: "s" } })).toThrow("header");
    expect(() => preview({ auth: { scheme: "header", secretName: "s", header: "Host" } })).toThrow("Host");
  });
});
