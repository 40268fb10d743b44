import { isIP } from "node:net";

/** What is wrong with a block such as `192.30.252.0/22`, or a single address; undefined when it is fine. */
export function cidrProblem(text: string): string | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes("%")) {
    return "is not an address or a block such as 192.30.252.0/22 or 2a0a:a440::/29";
  }
  if (prefix === undefined) return undefined;
  const longest = family === 6 ? 128 : 32;
  const isWhole = /^(0|[1-9]\d{0,2})$/.test(prefix);
  return isWhole && Number(prefix) <= longest ? undefined : `must have a prefix from 0 to ${longest}`;
}
