import { describe, expect, test } from "vitest";

import { clientAddress, isAllowed } from "../../../shared/ingest/client-address.ts";

const from = (forwarded: string | null): { get: (name: string) => string | null } => ({
  get: (name) => (name === "x-forwarded-for" ? forwarded : null),
});

describe("where a request comes from", () => {
  test.each([
    ["192.0.2.1", 1, "192.0.2.1"],
    ["192.0.2.1:4711", 1, "192.0.2.1"],
    ["[2001:db8::1]:4711", 1, "2001:db8::1"],
    ["2001:db8::1", 1, "2001:db8::1"],
    ["10.0.0.1, 192.0.2.7", 1, "192.0.2.7"],
    ["192.0.2.7, 10.0.0.1", 2, "192.0.2.7"],
    ["192.0.2.7", 2, undefined],
    ["somebody", 1, undefined],
    ["", 1, undefined],
  ])("'%s' behind %i trusted proxies is %s", (forwarded, proxies, address) => {
    expect(clientAddress(from(forwarded), proxies)).toBe(address);
  });

  test("what the sender writes in front is not believed", () => {
    expect(clientAddress(from("10.1.1.1, 203.0.113.9"), 1)).toBe("203.0.113.9");
  });
});

describe("an allow-list", () => {
  test.each([
    ["192.0.2.9", ["192.0.2.0/24"], true],
    ["192.0.3.9", ["192.0.2.0/24"], false],
    ["192.0.2.9", ["192.0.2.9"], true],
    ["2001:db8::5", ["2001:db8::/32"], true],
    ["2001:db9::5", ["2001:db8::/32"], false],
    ["192.0.2.9", ["198.51.100.0/24", "192.0.2.0/24"], true],
    [undefined, ["0.0.0.0/0"], false],
    [undefined, [], true],
    ["192.0.2.9", [], true],
  ])("%s against %j is %s", (address, ranges, allowed) => {
    expect(isAllowed(address, ranges)).toBe(allowed);
  });
});
