import { describe, expect, test } from "vitest";

import { bodyLimit } from "../../../local/host/http/body.ts";

describe("the limit of request bodies", () => {
  test("is that of the platform unless a setting says otherwise", () => {
    expect(bodyLimit({})).toBe(104_857_600);
    expect(bodyLimit({ FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: "1000" })).toBe(1000);
  });

  test.each(["lots", "-1", "1.5"])("cannot be %s", (text) => {
    expect(() => bodyLimit({ FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: text })).toThrow(
      `FUNCTIONS_REQUEST_BODY_SIZE_LIMIT must be a number of bytes, not '${text}'`,
    );
  });
});
