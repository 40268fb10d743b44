import { BlockList, isIP } from "node:net";

import { Fault } from "../faults.ts";

interface RangeRow {
  readonly range: string;
  readonly what: string;
}

/**
 * Addresses no tenant's request goes to: whatever is not the public internet. Every form in which IPv6 can carry an
 * IPv4 address is either here as a whole or, for `::ffff:`, judged by the address it carries.
 */
export const blockedRanges: readonly RangeRow[] = [
  { range: "0.0.0.0/8", what: "this network; Linux takes 0.0.0.0 for loopback" },
  { range: "10.0.0.0/8", what: "private" },
  { range: "100.64.0.0/10", what: "carrier-grade NAT" },
  { range: "127.0.0.0/8", what: "loopback" },
  { range: "169.254.0.0/16", what: "link-local" },
  { range: "172.16.0.0/12", what: "private" },
  { range: "192.0.0.0/24", what: "protocol assignments" },
  { range: "192.0.2.0/24", what: "documentation" },
  { range: "192.88.99.0/24", what: "6to4 relays" },
  { range: "192.168.0.0/16", what: "private" },
  { range: "198.18.0.0/15", what: "benchmarking" },
  { range: "198.51.100.0/24", what: "documentation" },
  { range: "203.0.113.0/24", what: "documentation" },
  { range: "224.0.0.0/4", what: "multicast" },
  { range: "240.0.0.0/4", what: "reserved, and broadcast" },
  { range: "::/96", what: "unspecified, loopback, IPv4-compatible" },
  { range: "::ffff:0:0:0/96", what: "IPv4-translated" },
  { range: "64:ff9b::/96", what: "NAT64" },
  { range: "64:ff9b:1::/48", what: "local NAT64" },
  { range: "100::/64", what: "discard" },
  { range: "2001::/23", what: "protocol assignments, Teredo" },
  { range: "2001:db8::/32", what: "documentation" },
  { range: "2002::/16", what: "6to4" },
  { range: "3fff::/20", what: "documentation" },
  { range: "5f00::/16", what: "segment routing" },
  { range: "fc00::/7", what: "unique local" },
  { range: "fe80::/10", what: "link-local" },
  { range: "fec0::/10", what: "site-local" },
  { range: "ff00::/8", what: "multicast" },
];

/** Where clouds hand out credentials to whoever asks. No allow list opens these. */
export const forbiddenRanges: readonly RangeRow[] = [
  { range: "169.254.169.254/32", what: "metadata service" },
  { range: "168.63.129.16/32", what: "Azure's wire server" },
  { range: "fd00:ec2::254/128", what: "metadata service" },
];

export type Refusal = "ADDRESS_BLOCKED" | "HTTPS_REQUIRED" | "URL_INVALID";

/** Which addresses requests may go to. */
export interface Guard {
  /** What can be said before the name is resolved: scheme, credentials in the address, an IP address as host. */
  readonly refuseUrl: (url: URL) => Refusal | undefined;
  /** The decision that counts: about the address the socket is about to be opened to. */
  readonly refuseAddress: (address: string, target: Target) => Refusal | undefined;
}

interface Target {
  /** As the URL names it, without brackets. */
  readonly hostname: string;
  readonly secure: boolean;
}

/** `allow` is a comma-separated list of host names, addresses and ranges, as in the setting OUTBOUND_ALLOW. */
export function createGuard(allow = ""): Guard {
  const blocked = listOf(blockedRanges.map(({ range }) => range));
  const forbidden = listOf(forbiddenRanges.map(({ range }) => range));
  const entries = allow.split(",").map((entry) => entry.trim().toLowerCase());
  const allowedRanges = listOf(entries.filter(isRange));
  const allowedHosts = new Set(entries.filter((entry) => entry !== "" && !isRange(entry)).map(checkedHost));

  const refuseAddress: Guard["refuseAddress"] = (address, { hostname, secure }) => {
    const [plain = ""] = address.split("%");
    const family = familyOf(plain);
    if (family === undefined || forbidden.check(plain, family)) return "ADDRESS_BLOCKED";
    if (allowedRanges.check(plain, family) || allowedHosts.has(hostname.toLowerCase())) return undefined;
    if (blocked.check(plain, family)) return "ADDRESS_BLOCKED";
    return secure ? undefined : "HTTPS_REQUIRED";
  };

  return {
    refuseAddress,
    refuseUrl: (url) => {
      const secure = url.protocol === "https:";
      if ((!secure && url.protocol !== "http:") || url.username !== "" || url.password !== "") {
        return "URL_INVALID";
      }
      const hostname = url.hostname.replace(/^\[|\]$/g, "");
      return isIP(hostname) === 0 ? undefined : refuseAddress(hostname, { hostname, secure });
    },
  };
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", prefix] = range.split("/");
    const family = familyOf(address);
    const longest = family === "ipv4" ? 32 : 128;
    const length = prefix === undefined ? longest : Number(prefix || "none");
    if (family === undefined || !Number.isInteger(length) || length < 0 || length > longest) {
      throw notUnderstood(range);
    }
    list.addSubnet(address, length, family);
  }
  return list;
}

function isRange(entry: string): boolean {
  return entry.includes("/") || isIP(entry) !== 0;
}

/** An entry that can match no host would leave its writer in the belief that it does. */
function checkedHost(entry: string): string {
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/.test(entry)) throw notUnderstood(entry);
  return entry;
}

function notUnderstood(entry: string): Fault {
  return new Fault(
    "settings-incomplete",
    `OUTBOUND_ALLOW has an entry that is no host, address or range: ${entry}`,
  );
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? "ipv4" : "ipv6";
}
