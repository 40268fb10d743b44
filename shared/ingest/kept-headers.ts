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

export function keptHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const kept: [string, string][] = [];
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (kept.length < most && !left.some((pattern) => pattern.test(lower))) {
      kept.push([lower, value.slice(0, longest)]);
    }
  }
  return Object.fromEntries(kept);
}
