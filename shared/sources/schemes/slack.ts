import { defineScheme, judge, refused } from "./define-scheme.ts";
import { decodeDigest, digestLengths, hmac } from "./digest.ts";
import { isFresh, parseTimestamp } from "./timestamp.ts";

const prefix = "v0=";

/** HMAC-SHA256 of `v0:<timestamp>:<body>`. */
export const slack = defineScheme({
  name: "slack",
  check({ webhook, secrets, now }) {
    const header = webhook.headers.get("x-slack-signature");
    const sent = webhook.headers.get("x-slack-request-timestamp");
    if (!header || !sent) return refused("missing");
    const timestamp = parseTimestamp(sent);
    if (timestamp === undefined || !header.startsWith(prefix)) return refused("malformed");
    const given = decodeDigest(header.slice(prefix.length), "hex", digestLengths.sha256);
    if (given === undefined) return refused("malformed");
    const expected = secrets.map((secret) => hmac("sha256", secret, `v0:${sent}:`, webhook.body));
    return judge([given], expected, isFresh(timestamp, now));
  },
});
