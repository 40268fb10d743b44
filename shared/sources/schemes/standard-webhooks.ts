import { verify } from "node:crypto";

import type { Webhook } from "../source.ts";
import { defineScheme, refused, verdictOf } from "./define-scheme.ts";
import { anyEqual, decodeDigest, digestLengths, hmac } from "./digest.ts";
import { keyProblem, keysOf, type WebhookKey } from "./standard-webhooks-keys.ts";
import { isFresh, parseTimestamp } from "./timestamp.ts";

const ed25519SignatureLength = 64;
/** Each is a hash of the whole body where keys are public: a header must not buy more of them than a sender needs. */
const mostSignatures = 10;

/**
 * Standard Webhooks 1.0: `<id>.<timestamp>.<body>`, signed with HMAC-SHA256 (`v1`) or ed25519 (`v1a`), any number of
 * both in one header. GitLab's signing tokens follow it too.
 */
export const standardWebhooks = defineScheme({
  name: "standard-webhooks",
  check({ webhook, secrets, now }) {
    const id = webhook.headers.get("webhook-id");
    const sent = webhook.headers.get("webhook-timestamp");
    const header = webhook.headers.get("webhook-signature");
    if (!id || !sent || !header) return refused("missing");
    const timestamp = parseTimestamp(sent);
    const signatures = parseHeader(header);
    // With a dot in the id, one signed text could be read as two different webhooks.
    if (timestamp === undefined || signatures === undefined || id.includes(".")) return refused("malformed");
    const keys = secrets.flatMap(keysOf);
    if (keys.length === 0) return refused("no-secret");

    const prefix = `${id}.${sent}.`;
    const genuine =
      verifiesBySecret(signatures.v1, keys, prefix, webhook) ||
      verifiesByPublicKey(signatures.v1a, keys, prefix, webhook);
    return verdictOf(genuine, isFresh(timestamp, now));
  },
  secretProblem: keyProblem,
});

interface Signatures {
  readonly v1: readonly Uint8Array[];
  readonly v1a: readonly Uint8Array[];
}

/** Versions that are not known are skipped, as the specification asks; undefined when nothing is left. */
function parseHeader(header: string): Signatures | undefined {
  const entries = header.split(" ").filter((entry) => entry !== "");
  if (entries.length > mostSignatures) return undefined;
  const decoded = (version: string, length: number): readonly Uint8Array[] =>
    entries
      .filter((entry) => entry.startsWith(`${version},`))
      .flatMap((entry) => decodeDigest(entry.slice(version.length + 1), "base64", length) ?? []);
  const v1 = decoded("v1", digestLengths.sha256);
  const v1a = decoded("v1a", ed25519SignatureLength);
  return v1.length + v1a.length === 0 ? undefined : { v1, v1a };
}

function verifiesBySecret(
  signatures: readonly Uint8Array[],
  keys: readonly WebhookKey[],
  prefix: string,
  { body }: Webhook,
): boolean {
  const expected = keys.flatMap(({ kind, key }) =>
    kind === "hmac" ? [hmac("sha256", key, prefix, body)] : [],
  );
  return anyEqual(signatures, expected);
}

/** Nothing here is secret, so the first that fits is enough. */
function verifiesByPublicKey(
  signatures: readonly Uint8Array[],
  keys: readonly WebhookKey[],
  prefix: string,
  { body }: Webhook,
): boolean {
  const publicKeys = keys.flatMap(({ kind, key }) => (kind === "ed25519" ? [key] : []));
  if (publicKeys.length === 0 || signatures.length === 0) return false;
  const message = Buffer.concat([Buffer.from(prefix, "utf8"), body]);
  return publicKeys.some((key) => signatures.some((signature) => verify(null, message, key, signature)));
}
