import type { Webhook } from "../../../shared/sources/source.ts";

/** Header names in any case, as the platform reads them; values of any characters, which it would not let through. */
export function webhook(headers: Readonly<Record<string, string>>, body: string | Uint8Array): Webhook {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { headers: { get: (name) => values.get(name.toLowerCase()) ?? null }, body: Buffer.from(body) };
}
