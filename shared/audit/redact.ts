/** Names that carry secrets, wherever they stand and however they are written: `apiKey`, `X-Api-Key`, `client_secret`. */
const telling =
  /secret|password|passphrase|token|credential|authorization|cookie|apikey|privatekey|signature/;

export const redacted = "[redacted]";

/** The value without what its names say is secret. */
export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isTelling(name) ? redacted : redact(inner)]),
  );
}

function isTelling(name: string): boolean {
  return telling.test(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
}
