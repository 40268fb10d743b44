import { createHmac, timingSafeEqual } from "node:crypto";

import { unauthorized } from "../errors.ts";

/** The key of the namespace, when tokens are to be checked. */
export interface SasKey {
  readonly name: string;
  readonly value: string;
}

/**
 * Checks a shared access signature for a resource and says until when it is valid, in milliseconds. Without a key
 * every token will do.
 * https://learn.microsoft.com/azure/service-bus-messaging/service-bus-sas
 */
export function checkToken(token: string, resource: string, key: SasKey | undefined, now: number): number {
  if (!key) return Infinity;
  const [scheme, rest] = token.split(" ", 2);
  const fields = new Map((rest ?? "").split("&").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
  const audience = fields.get("sr") ?? "";
  const expiry = Number(fields.get("se"));
  if (scheme !== "SharedAccessSignature" || !Number.isFinite(expiry)) throw unauthorized("The token is malformed.");
  if (decodeURIComponent(fields.get("skn") ?? "") !== key.name) throw unauthorized("The key name is unknown.");
  const expected = createHmac("sha256", key.value).update(`${audience}\n${fields.get("se")}`).digest();
  const given = Buffer.from(decodeURIComponent(fields.get("sig") ?? ""), "base64");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw unauthorized("The token has an invalid signature.");
  }
  if (expiry * 1000 <= now) throw unauthorized("The token has expired.");
  if (!covers(decodeURIComponent(audience), resource)) throw unauthorized("The token is for another resource.");
  return expiry * 1000;
}

/** A token for a path is good for everything below it. */
function covers(audience: string, resource: string): boolean {
  const granted = pathOf(audience);
  const wanted = pathOf(resource);
  return granted === "" || wanted === granted || wanted.startsWith(`${granted}/`);
}

export const pathOf = (resource: string): string =>
  resource
    .replace(/^[a-z]+:\/\/[^/]*/i, "")
    .replace(/^\/+|\/+$/g, "")
    .toLowerCase();
