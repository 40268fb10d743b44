import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { blockedRanges, createGuard, forbiddenRanges } from "../../../shared/outbound/guard.ts";

const guard = createGuard();
const refused = (host: string, scheme = "https"): string | undefined =>
  guard.refuseUrl(new URL(`${scheme}://${host}/`));

/** Every way a URL lets one write an IPv4 address. */
function spellingsOf([a, b, c, d]: readonly [number, number, number, number]): string[] {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const last3 = (b * 256 + c) * 256 + d;
  const last2 = c * 256 + d;
  const hex = (part: number): string => `0x${part.toString(16)}`;
  const octal = (part: number): string => `0${part.toString(8)}`;
  const groups = `${(a * 256 + b).toString(16)}:${last2.toString(16)}`;
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    String(whole),
    hex(whole),
    octal(whole),
    `${a}.${last3}`,
    `${a}.${b}.${last2}`,
    [a, b, c, d].map(hex).join("."),
    [a, b, c, d].map(octal).join("."),
    `${hex(a)}.${octal(b)}.${c}.${hex(d)}`,
    `${a}。${b}。${c}。${d}`,
    `%${a.toString(10).charCodeAt(0).toString(16)}${a.toString(10).slice(1)}.${b}.${c}.${d}`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:FFFF:${groups}]`,
    `[::${groups}]`,
    `[::ffff:0:${groups}]`,
    `[64:ff9b::${groups}]`,
    `[64:ff9b:1::${groups}]`,
    `[2002:${groups}::1]`,
  ];
}

const byte = fc.integer({ min: 0, max: 255 });
const privateAddress = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127, 224, 239, 240, 255), byte, byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.constant(198), fc.constantFrom(18, 19), byte, byte),
  fc.constant([168, 63, 129, 16] as [number, number, number, number]),
);

describe("the guard", () => {
  test("DLV-07: refuses a private address however it is written", () => {
    fc.assert(
      fc.property(privateAddress, (address) => {
        for (const spelling of spellingsOf(address))
          expect(refused(spelling), spelling).toBe("ADDRESS_BLOCKED");
      }),
      { numRuns: 300 },
    );
  });

  test("DLV-07: refuses the first and the last address of every range", () => {
    for (const { range } of [...blockedRanges, ...forbiddenRanges]) {
      for (const address of endsOf(range)) {
        const target = { hostname: "vendor.example", secure: true };
        expect(guard.refuseAddress(address, target), `${address} of ${range}`).toBe("ADDRESS_BLOCKED");
      }
    }
  });

  test("lets public addresses pass, and those next to a range", () => {
    const open = [
      "1.1.1.1",
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.1",
      "168.63.129.17",
      "172.15.255.255",
      "172.32.0.0",
      "192.167.255.255",
      "223.255.255.255",
      "[2606:4700:4700::1111]",
      "[2a00:1450::1]",
      "[::ffff:1.1.1.1]",
    ];
    for (const host of open) expect(refused(host), host).toBeUndefined();
  });

  test("DLV-07: refuses IPv6 that is not public, with or without a zone", () => {
    const target = { hostname: "vendor.example", secure: true };
    for (const address of [
      "fe80::1%eth0",
      "fe80::1",
      "fd12:3456::1%1",
      "::1",
      "ff02::1",
      "fec0::1",
      "2001:db8::1",
    ]) {
      expect(guard.refuseAddress(address, target), address).toBe("ADDRESS_BLOCKED");
    }
  });

  test("refuses what is no address at all", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^[\d.:a-f%]+$/i.test(text));
        expect(guard.refuseAddress(text, { hostname: "x", secure: true })).toBe("ADDRESS_BLOCKED");
      }),
    );
  });

  test("refuses plain http to the public, other schemes, and credentials in the address", () => {
    expect(refused("1.1.1.1", "http")).toBe("HTTPS_REQUIRED");
    for (const url of ["ftp://vendor.example/", "file:///etc/passwd", "gopher://vendor.example/"]) {
      expect(guard.refuseUrl(new URL(url)), url).toBe("URL_INVALID");
    }
    expect(guard.refuseUrl(new URL("https://user:pass@vendor.example/"))).toBe("URL_INVALID");
    expect(guard.refuseUrl(new URL("https://user@vendor.example/"))).toBe("URL_INVALID");
  });

  test("a name is judged when it is resolved, not before", () => {
    expect(refused("localhost", "http")).toBeUndefined();
    expect(guard.refuseAddress("127.0.0.1", { hostname: "localhost", secure: false })).toBe(
      "ADDRESS_BLOCKED",
    );
  });
});

describe("the allow list", () => {
  const local = createGuard("127.0.0.0/8, ::1/128,10.1.2.3 , Vendor.internal");

  test("opens ranges and addresses, with and without https, in both spellings of IPv4", () => {
    for (const host of ["127.0.0.1", "127.9.9.9", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "10.1.2.3"]) {
      expect(local.refuseUrl(new URL(`http://${host}/`)), host).toBeUndefined();
    }
    expect(local.refuseUrl(new URL("http://10.1.2.4/"))).toBe("ADDRESS_BLOCKED");
    expect(local.refuseUrl(new URL("http://0.0.0.0/"))).toBe("ADDRESS_BLOCKED");
  });

  test("opens a host by name, whatever its address", () => {
    const target = { hostname: "vendor.INTERNAL", secure: false };
    expect(local.refuseAddress("10.200.0.1", target)).toBeUndefined();
    expect(local.refuseAddress("10.200.0.1", { ...target, hostname: "other.internal" })).toBe(
      "ADDRESS_BLOCKED",
    );
  });

  test("DLV-07: never opens a metadata service", () => {
    const wide = createGuard("0.0.0.0/0,::/0,metadata.internal");
    for (const address of ["169.254.169.254", "168.63.129.16", "fd00:ec2::254", "::ffff:169.254.169.254"]) {
      const target = { hostname: "metadata.internal", secure: true };
      expect(wide.refuseAddress(address, target), address).toBe("ADDRESS_BLOCKED");
    }
  });

  test.each([
    "10.0.0.0/33",
    "::1/129",
    "10.0.0.0/",
    "10.0.0.0/x",
    "10.0.0/8",
    "http://a",
    "a b",
    "*.internal",
  ])("with the entry %s is refused at the start", (entry) => {
    expect(() => createGuard(`127.0.0.1,${entry}`)).toThrow(entry);
  });

  test("empty opens nothing", () => {
    expect(createGuard(" , ").refuseUrl(new URL("http://127.0.0.1"))).toBe("ADDRESS_BLOCKED");
  });
});

function endsOf(range: string): string[] {
  const [address = "", prefix = ""] = range.split("/");
  const bits = address.includes(":") ? 128n : 32n;
  const first = numberOf(address);
  const last = first | ((1n << (bits - BigInt(prefix))) - 1n);
  return [first, last].map((value) => textOf(value, bits));
}

function numberOf(address: string): bigint {
  if (!address.includes(":")) return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => "0"), ...groups(tail)];
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

function textOf(value: bigint, bits: bigint): string {
  const [size, base, separator] = bits === 32n ? [8n, 10, "."] : [16n, 16, ":"];
  const count = Number(bits / size);
  const parts = Array.from(
    { length: count },
    (_, index) => (value >> (size * BigInt(count - 1 - index))) & ((1n << size) - 1n),
  );
  return parts.map((part) => part.toString(base)).join(separator);
}
