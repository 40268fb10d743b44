import { defineScheme, judge, refused } from "./define-scheme.ts";
import { decodeDigest, digestLengths, hmac } from "./digest.ts";

const prefix = "sha256=";

/** HMAC-SHA256 of the body. The SHA-1 header that GitHub still sends beside it is not looked at. */
export const github = defineScheme({
  name: "github",
  check({ webhook, secrets }) {
    const header = webhook.headers.get("x-hub-signature-256");
    if (!header) return refused("missing");
    if (!header.startsWith(prefix)) return refused("malformed");
    const given = decodeDigest(header.slice(prefix.length), "hex", digestLengths.sha256);
    if (given === undefined) return refused("malformed");
    return judge(
      [given],
      secrets.map((secret) => hmac("sha256", secret, webhook.body)),
    );
  },
});
