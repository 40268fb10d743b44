import { randomBytes } from "node:crypto";

const secretBytes = 32;

/** Schemes whose senders expect a secret of a certain form; the others take any text. */
const forms: Readonly<Record<string, (bytes: Buffer) => string>> = {
  "standard-webhooks": whsec,
  stripe: whsec,
};

/** A secret nobody can guess, as the scheme's senders write them. */
export function newSecret(scheme: string): string {
  const bytes = randomBytes(secretBytes);
  return forms[scheme]?.(bytes) ?? bytes.toString("hex");
}

function whsec(bytes: Buffer): string {
  return `whsec_${bytes.toString("base64")}`;
}
