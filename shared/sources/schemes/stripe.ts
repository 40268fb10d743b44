import { defineScheme, judge, refused } from "./define-scheme.ts";
import { decodeDigest, digestLengths, hmac } from "./digest.ts";
import { isFresh, parseTimestamp } from "./timestamp.ts";

/** Two while a secret is rolled. */
const mostSignatures = 10;

/**
 * HMAC-SHA256 of `<timestamp>.<body>`, with the whole text `whsec_…` as key. Only `v1` counts: Stripe sends a made-up
 * `v0` beside it for test events.
 */
export const stripe = defineScheme({
  name: "stripe",
  check({ webhook, secrets, now }) {
    const header = webhook.headers.get("stripe-signature");
    if (!header) return refused("missing");
    const { sent, signatures } = parseHeader(header);
    const timestamp = sent === undefined ? undefined : parseTimestamp(sent);
    if (timestamp === undefined || signatures.length === 0 || signatures.length > mostSignatures) {
      return refused("malformed");
    }
    const expected = secrets.map((secret) => hmac("sha256", secret, `${sent}.`, webhook.body));
    return judge(signatures, expected, isFresh(timestamp, now));
  },
  secretProblem: (secret) =>
    secret.startsWith("whsec_")
      ? undefined
      : "The signing secret of a Stripe endpoint begins with 'whsec_'; an API key is something else.",
});

function parseHeader(header: string): {
  readonly sent: string | undefined;
  readonly signatures: readonly Uint8Array[];
} {
  const parts = header.split(",").map((part) => part.trim());
  const valuesOf = (key: string): readonly string[] =>
    parts.filter((part) => part.startsWith(`${key}=`)).map((part) => part.slice(key.length + 1));
  const times = valuesOf("t");
  return {
    sent: times.length === 1 ? times[0] : undefined,
    signatures: valuesOf("v1").flatMap((text) => decodeDigest(text, "hex", digestLengths.sha256) ?? []),
  };
}
