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
  const { audience, signed, signature, keyName, expiresAt } = readToken(token);
  if (keyName !== key.name) throw unauthorized("The key name is unknown.");
  const expected = createHmac("sha256", key.value).update(signed).digest();
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
    throw unauthorized("The token has an invalid signature.");
  }
  if (expiresAt <= now) throw unauthorized("The token has expired.");
  if (!covers(audience, resource)) throw unauthorized("The token is for another resource.");
  return expiresAt;
}

interface Token {
  readonly audience: string;
  /** What the signature was made of: the audience still encoded, and the expiry. */
  readonly signed: string;
  readonly signature: Buffer;
  readonly keyName: string;
  readonly expiresAt: number;
}

/** `SharedAccessSignature sr=<audience>&sig=<signature>&se=<seconds>&skn=<key name>` */
function readToken(token: string): Token {
  const fields = new URLSearchParams(token.replace(/^SharedAccessSignature /, ""));
  const [, encodedAudience] = /(?:^| |&)sr=([^&]*)/.exec(token) ?? [];
  const seconds = fields.get("se");
  const expiresAt = Number(seconds) * 1000;
  if (
    !token.startsWith("SharedAccessSignature ") ||
    encodedAudience === undefined ||
    !Number.isFinite(expiresAt)
  ) {
    throw unauthorized("The token is malformed.");
  }
  return {
    audience: fields.get("sr") ?? "",
    signed: `${encodedAudience}\n${seconds}`,
    signature: Buffer.from(fields.get("sig") ?? "", "base64"),
    keyName: fields.get("skn") ?? "",
    expiresAt,
  };
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
