import { describe, expect, test } from "vitest";

import { childTraceparent, newSpanId } from "../../../shared/envelope/traceparent.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("traceparent (ING-06)", () => {
  test("keeps the trace and its flags, and names a step of its own", () => {
    const child = childTraceparent(`00-${traceId}-00f067aa0ba902b7-00`, "b7ad6b7169203331");
    expect(child).toBe(`00-${traceId}-b7ad6b7169203331-00`);
  });

  test.each(["", "junk", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`, `ff-${traceId}-00f067aa0ba902b7-01`])(
    "begins a trace where %s is none",
    (parent) => {
      const spanId = newSpanId();
      expect(childTraceparent(parent, spanId)).toMatch(new RegExp(`^00-(?!0{32})[0-9a-f]{32}-${spanId}-01$`));
    },
  );
});
