import { describe, expect, test } from "vitest";

import { readSinkCommand } from "../../../local/sink/command-line.ts";
import { createEffects } from "../../../local/sink/effects.ts";
import { requestBlock } from "../../../local/sink/request-block.ts";

describe("the sink", () => {
  test("does a thing once for an idempotency key, and each time without one", () => {
    const perform = createEffects({ failFirst: 0, status: 200 });
    expect(perform("a")).toMatchObject({ status: 200, body: { id: "sink-1" }, repeated: false });
    expect(perform("a")).toMatchObject({ status: 200, body: { id: "sink-1" }, repeated: true });
    expect(perform()).toMatchObject({ body: { id: "sink-2" } });
    expect(perform()).toMatchObject({ body: { id: "sink-3" } });
  });

  test("is out of order for the first requests, and remembers nothing of them", () => {
    const perform = createEffects({ failFirst: 2, status: 201 });
    expect([perform("a"), perform("a"), perform("a")].map(({ status }) => status)).toEqual([503, 503, 201]);
  });

  test("answers with the status it was given", () => {
    const perform = createEffects({ failFirst: 0, status: 422 });
    expect(perform("a")).toMatchObject({ status: 422, repeated: false });
    expect(perform("a")).toMatchObject({ status: 422, repeated: false });
  });

  test("prints a request as a block of its own", () => {
    const request = {
      method: "POST",
      path: "/tickets",
      idempotencyKey: "k",
      correlationId: "c",
      body: '{"title":"A change"}',
    };
    expect(requestBlock(1, request, '200 {"id":"sink-1"}')).toBe(
      [
        "",
        "#1 POST /tickets",
        "   idempotency-key   k",
        "   x-correlation-id  c",
        "   {",
        '     "title": "A change"',
        "   }",
        '   => 200 {"id":"sink-1"}',
      ].join("\n"),
    );
  });

  test("prints what is no JSON without what a terminal would obey, and long bodies in part", () => {
    const request = { method: "GET", path: "/", idempotencyKey: undefined, correlationId: undefined };
    expect(requestBlock(2, { ...request, body: "a\u001b[31mb" }, "200")).toContain("a\ufffd[31mb");
    expect(requestBlock(2, { ...request, body: "" }, "200")).toContain("(no body)");
    expect(requestBlock(2, { ...request, body: "x".repeat(5000) }, "200")).toContain(
      "(1000 more characters)",
    );
  });

  test.each([
    [["--port", "x"], "--port takes a number from 0 to 65535, not 'x'"],
    [["--status", "99"], "--status takes a number from 200 to 599, not '99'"],
    [["--fail", "-1"], /--fail/],
    [["--delay", "soon"], "--delay takes a number from 0 to 600000, not 'soon'"],
  ])("answers %j in one readable line", (argv, message) => {
    expect(() => readSinkCommand(argv)).toThrow(message);
  });
});
