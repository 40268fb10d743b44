import { describe, expect, test } from "vitest";

import { setCookie } from "../../../local/host/http/cookies.ts";

describe("a cookie", () => {
  test("has a value, encoded, and the root path when nothing else is said", () => {
    expect(setCookie({ name: "id", value: "a b;c!'" })).toBe("id=a%20b%3Bc%21%27; path=/");
  });

  test("carries every attribute it was given", () => {
    const cookie = setCookie({
      name: "id",
      value: "1",
      domain: { value: "example.com" },
      path: { value: "/app" },
      expires: { value: { seconds: 1_700_000_000 } },
      maxAge: { value: 60.9 },
      secure: { value: true },
      httpOnly: { value: true },
      sameSite: "explicitNone",
    });
    expect(cookie).toBe(
      "id=1; expires=Tue, 14 Nov 2023 22:13:20 GMT; max-age=60; domain=example.com; path=/app; secure; samesite=none; httponly",
    );
  });

  test("leaves out what is switched off", () => {
    const cookie = { name: "id", value: "", secure: { value: false }, httpOnly: { value: false } };
    expect(setCookie({ ...cookie, sameSite: "none", maxAge: { value: 0 } })).toBe("id=; max-age=0; path=/");
    expect(setCookie({ ...cookie, sameSite: "lax" })).toBe("id=; path=/; samesite=lax");
  });
});
