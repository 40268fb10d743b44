import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export type HmacAlgorithm = "sha1" | "sha256" | "sha512";

/** Bytes of a digest. */
export const digestLengths: Readonly<Record<HmacAlgorithm, number>> = { sha1: 20, sha256: 32, sha512: 64 };

/** Takes the message in parts, so that a body of many megabytes is not copied behind its prefix. */
export function hmac(
  algorithm: HmacAlgorithm,
  key: string | Uint8Array,
  ...parts: readonly (string | Uint8Array)[]
): Buffer {
  const mac = createHmac(algorithm, key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** A text of any length as bytes of one length: what is compared then says nothing about how long a secret is. */
export function fingerprint(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * Whether one of the given is one of the expected. Looks at every pair, so that the time it takes does not say which
 * secret matched, or how far.
 */
export function anyEqual(given: readonly Uint8Array[], expected: readonly Uint8Array[]): boolean {
  let found = false;
  for (const one of given) {
    for (const other of expected) {
      const equal = one.length === other.length && timingSafeEqual(one, other);
      found = equal || found;
    }
  }
  return found;
}

/** Undefined unless it is exactly so many bytes: what was cut off must not be compared as far as it goes. */
export function decodeDigest(text: string, encoding: "hex" | "base64", length: number): Buffer | undefined {
  const bytes = encoding === "hex" ? decodeHex(text) : decodeBase64(text);
  return bytes?.length === length ? bytes : undefined;
}

function decodeHex(text: string): Buffer | undefined {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, "hex") : undefined;
}

/** Node skips what is not base64; here it makes the whole text none. The padding may be absent. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.length > 0 && unpadded(bytes.toString("base64")) === unpadded(text) ? bytes : undefined;
}

function unpadded(text: string): string {
  return text.replace(/={1,2}$/, "");
}
