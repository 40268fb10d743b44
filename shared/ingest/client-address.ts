import { BlockList, isIP } from "node:net";

import type { HeaderReader } from "../sources/source.ts";

/**
 * Where a request comes from. Every proxy appends the address it saw, so only what the trusted ones appended, counted
 * from the right, is believed: the rest of the header is whatever the sender wrote there.
 */
export function clientAddress(headers: HeaderReader, trustedProxies: number): string | undefined {
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  return withoutPort(hops.at(-trustedProxies) ?? "");
}

function withoutPort(hop: string): string | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1];
  const address = bracketed ?? (isIP(hop) === 0 ? hop.replace(/:\d+$/, "") : hop);
  return isIP(address) === 0 ? undefined : address;
}

/** An address that is not known is not on any list. */
export function isAllowed(address: string | undefined, ranges: readonly string[]): boolean {
  if (ranges.length === 0) return true;
  if (address === undefined) return false;
  const isV4 = isIP(address) === 4;
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    const family = isIP(network) === 6 ? "ipv6" : "ipv4";
    // To Node `::/0` holds every address of v4 too; to whoever wrote it, it is all of v6.
    if (isIP(network) === 0 || (isV4 && family === "ipv6")) continue;
    list.addSubnet(network, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return list.check(address, isV4 ? "ipv4" : "ipv6");
}
