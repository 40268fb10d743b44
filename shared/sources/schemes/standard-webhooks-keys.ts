import { createPublicKey, type KeyObject } from "node:crypto";

import { decodeBase64 } from "./digest.ts";

export type WebhookKey =
  { readonly kind: "hmac"; readonly key: Uint8Array } | { readonly kind: "ed25519"; readonly key: KeyObject };

const ed25519Length = 32;
/** 24 bytes are what the specification asks for; some senders give fewer, and fewer than these nobody should use. */
const shortestSecret = 16;

/**
 * What a secret stands for: `whsec_` and base64 for HMAC, `whpk_` and base64 for the public key of an ed25519 pair. A
 * text without either is tried as it stands and, since senders differ, as base64.
 */
export function keysOf(secret: string): readonly WebhookKey[] {
  if (secret.startsWith("whpk_")) {
    const key = publicKey(secret.slice("whpk_".length));
    return key === undefined ? [] : [{ kind: "ed25519", key }];
  }
  if (secret.startsWith("whsk_")) return [];
  if (secret.startsWith("whsec_")) {
    const key = decodeBase64(secret.slice("whsec_".length));
    return key === undefined ? [] : [{ kind: "hmac", key }];
  }
  const decoded = decodeBase64(secret);
  const raw: WebhookKey = { kind: "hmac", key: Buffer.from(secret, "utf8") };
  return decoded === undefined ? [raw] : [raw, { kind: "hmac", key: decoded }];
}

export function keyProblem(secret: string): string | undefined {
  if (secret.startsWith("whsk_")) {
    return "This is a private key, which only the sender should have. Use the public one, 'whpk_…'.";
  }
  const [first] = keysOf(secret);
  if (first === undefined) {
    return secret.startsWith("whpk_")
      ? "After 'whpk_' there must be the base64 of an ed25519 public key of 32 bytes."
      : "After 'whsec_' there must be base64.";
  }
  return first.kind === "hmac" && first.key.length < shortestSecret
    ? `The secret is shorter than ${shortestSecret} bytes.`
    : undefined;
}

function publicKey(base64: string): KeyObject | undefined {
  const bytes = decodeBase64(base64);
  if (bytes?.length !== ed25519Length) return undefined;
  try {
    const key = { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") };
    return createPublicKey({ key, format: "jwk" });
  } catch {
    return undefined;
  }
}
