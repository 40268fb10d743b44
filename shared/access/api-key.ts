import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * An API key is `ilk_<id>_<secret>`: the id finds the row with one point read, the secret is 256 random bits of which
 * only a hash is kept. A plain hash is enough, since nobody can guess the secret from it.
 */
export interface ApiKey {
  readonly id: string;
  readonly secret: string;
}

const pattern = /^ilk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

export function newApiKey(): ApiKey {
  return { id: randomBytes(8).toString("hex"), secret: randomBytes(32).toString("base64url") };
}

export function formatApiKey({ id, secret }: ApiKey): string {
  return `ilk_${id}_${secret}`;
}

export function parseApiKey(text: string): ApiKey | undefined {
  const [, id, secret] = pattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Takes as long for an id that does not exist as for a wrong secret: pass undefined for the former. */
export function secretMatches(secret: string, hash: string | undefined): boolean {
  const wanted = Buffer.from(hash ?? hashSecret(""), "hex");
  return timingSafeEqual(Buffer.from(hashSecret(secret), "hex"), wanted) && hash !== undefined;
}
