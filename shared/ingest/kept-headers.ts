/**
 * The headers kept with a webhook: what tells about the delivery. Whatever may be a credential is left out, signatures
 * too, and what proxies and the platform added says nothing about the sender.
 */
const left = [
  /authorization/,
  /cookie/,
  /token/,
  /secret/,
  /signature/,
  /password/,
  /api-?key/,
  /^x-forwarded-/,
  /^x-arr-/,
  /^x-azure-/,
  /^x-ms-/,
  /^x-functions-/,
  /^(connection|host|content-length|transfer-encoding|keep-alive|te|upgrade)$/,
];

const longest = 2048;
const most = 64;
/** Of all together: they are stored as one text, where quotes take two characters and which holds 32,768. */
const longestOfAll = 14_000;

/** `signatureHeader` is where a connection's own settings say the signature is, whatever its name. */
export function keptHeaders(
  headers: Iterable<readonly [string, string]>,
  signatureHeader?: string,
): Record<string, string> {
  const signature = signatureHeader?.toLowerCase();
  const kept: [string, string][] = [];
  let room = longestOfAll;
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === signature || left.some((pattern) => pattern.test(lower))) continue;
    const short = value.slice(0, longest);
    room -= lower.length + short.length;
    if (kept.length === most || room < 0) break;
    kept.push([lower, short]);
  }
  return Object.fromEntries(kept);
}
