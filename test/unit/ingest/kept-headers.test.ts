import { describe, expect, test } from "vitest";

import { keptHeaders } from "../../../shared/ingest/kept-headers.ts";

describe("ING-07: the headers kept with a webhook", () => {
  test("tell about the delivery, under names in lower case", () => {
    const headers: [string, string][] = [
      ["X-GitHub-Event", "push"],
      ["User-Agent", "GitHub-Hookshot/1"],
    ];
    expect(keptHeaders(headers)).toEqual({ "x-github-event": "push", "user-agent": "GitHub-Hookshot/1" });
  });

  test.each([
    "Authorization",
    "Proxy-Authorization",
    "Cookie",
    "X-Gitlab-Token",
    "X-Hub-Signature-256",
    "Stripe-Signature",
    "Webhook-Signature",
    "X-Api-Key",
    "ApiKey",
    "X-My-Secret",
    "X-Password",
    "X-Forwarded-For",
    "X-MS-Client-Principal",
    "x-functions-key",
    "Host",
  ])("do not include %s", (name) => {
    expect(keptHeaders([[name, "value"]])).toEqual({});
  });

  test("always fit into the row: each is cut, and what is too much is left out", () => {
    const many = Array.from({ length: 200 }, (_, n): [string, string] => [`x-${n}`, '"'.repeat(5000)]);
    const kept = keptHeaders(many);
    expect(JSON.stringify(kept).length).toBeLessThan(32_768);
    expect(Object.keys(kept).length).toBeGreaterThan(5);
    const short = Array.from({ length: 200 }, (_, n): [string, string] => [`x-${n}`, "v"]);
    expect(Object.keys(keptHeaders(short))).toHaveLength(64);
  });
});
