/** Parts of names whose values nobody may read, without case and separators: `x-api-key`, `clientSecret`, `set-cookie`. */
const telling = [
  "accesskey",
  "apikey",
  "authorization",
  "bearer",
  "cookie",
  "credential",
  "jwt",
  "passphrase",
  "passwd",
  "password",
  "privatekey",
  "pwd",
  "secret",
  "sessionid",
  "signature",
  "token",
] as const;

export const redacted = "[redacted]";

/** Deeper than any document people write; beyond it everything is taken for secret. */
const maxDepth = 64;

export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return telling.some((part) => plain.includes(part));
}

/**
 * The same JSON value without the values under telling names, at any depth. By name and not by path, because payloads
 * come in shapes nobody has foreseen.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return redacted;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isSecretName(name) ? redacted : redact(item, depth + 1),
    ]),
  );
}

export function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? redacted : value]),
  );
}

/** `token=`, `"password": `, `Authorization: ` and what follows, in a text that is no JSON. Linear in its length. */
const naming = /(?<![\w.-])([\w.-]+)["']?\s*[:=]\s*/g;
const named = /"[^"]*"?|'[^']*'?|(?:(?:bearer|basic)\s+)?[^\s,;&"'<>]+/iy;

/** What a vendor wrote, short enough for a failure's message and without what it should not have repeated. */
export function excerptOf(text: string, secrets: readonly string[] = [], maxLength = 200): string {
  const known = secrets.filter((secret) => secret !== "");
  const written = known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const clean = redactText(written.reduce((rest, secret) => rest.replaceAll(secret, redacted), text));
  // oxlint-disable-next-line no-control-regex -- control characters have no place in a message
  const line = clean.replace(/[\u0000-\u0020\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

function redactText(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return JSON.stringify(redact(parsed));
  } catch {
    // Not JSON, or JSON that was cut: a text like any other.
  }
  return redactAssignments(text.slice(0, 4096));
}

function redactAssignments(text: string): string {
  let clean = "";
  let from = 0;
  for (const match of text.matchAll(naming)) {
    const end = match.index + match[0].length;
    if (match.index < from || !isSecretName(match[1] ?? "")) continue;
    named.lastIndex = end;
    const value = named.exec(text)?.[0] ?? "";
    clean += text.slice(from, end) + redacted;
    from = end + value.length;
  }
  return clean + text.slice(from);
}

/** The same address with the values of telling query parameters taken out. */
export function redactUrl(url: URL): string {
  const clean = new URL(url);
  for (const name of new Set(clean.searchParams.keys())) {
    if (isSecretName(name)) clean.searchParams.set(name, redacted);
  }
  clean.username = "";
  clean.password = "";
  return clean.href;
}
