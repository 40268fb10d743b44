import { isIPv6, type Socket } from "node:net";

/**
 * What Azure's front end makes of `x-forwarded-for`: whatever the client claims stays, and the address and port it really
 * connected from are appended, so that the last entry cannot be made up.
 */
export function forwardedFor(
  claimed: string | undefined,
  { remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">,
): string {
  // A server on both kinds of addresses sees those of the old kind in the form of the new.
  const address = (remoteAddress ?? "unknown").replace(/^::ffff:(?=[\d.]+$)/i, "");
  const last = `${isIPv6(address) ? `[${address}]` : address}:${remotePort ?? 0}`;
  return claimed === undefined ? last : `${claimed}, ${last}`;
}
