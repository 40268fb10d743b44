import { describe, expect, test } from "vitest";

import { cidrProblem } from "../../../shared/connections/cidr-problem.ts";
import { newSecret } from "../../../shared/connections/new-secret.ts";
import { schemes } from "../../../shared/sources/schemes.ts";
import type { Scheme } from "../../../shared/sources/source.ts";

describe("ING-03: what may send", () => {
  test.each([
    "192.30.252.0/22",
    "10.0.0.1",
    "0.0.0.0/0",
    "2a0a:a440::/29",
    "::1",
    "::ffff:10.0.0.0/104",
    "::/0",
  ])("%s is an address or a block", (text) => {
    expect(cidrProblem(text)).toBeUndefined();
  });

  test.each([
    "",
    "10.0.0",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "010.0.0.1",
    "::1/129",
    "fe80::1%eth0",
    "example.com",
    "10.0.0.0 /8",
    "*",
    "1",
  ])("'%s' is not", (text) => {
    expect(cidrProblem(text)).toBeDefined();
  });
});

describe("a secret that was made up", () => {
  test.each(Object.entries<Scheme>(schemes))("is one that the scheme %s takes", (name, scheme) => {
    const secrets = Array.from({ length: 50 }, () => newSecret(name));
    for (const secret of secrets) expect(scheme.secretProblem?.(secret)).toBeUndefined();
    expect(new Set(secrets).size).toBe(50);
  });
});
