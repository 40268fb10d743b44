import { defineScheme, judge, refused } from "./define-scheme.ts";
import { decodeDigest, digestLengths, hmac } from "./digest.ts";

/** HMAC-SHA512 of the body. Terraform Cloud signs only where the notification has a token. */
export const terraformCloud = defineScheme({
  name: "terraform-cloud",
  check({ webhook, secrets }) {
    const header = webhook.headers.get("x-tfe-notification-signature");
    if (!header) return refused("missing");
    const given = decodeDigest(header, "hex", digestLengths.sha512);
    if (given === undefined) return refused("malformed");
    return judge(
      [given],
      secrets.map((secret) => hmac("sha512", secret, webhook.body)),
    );
  },
});
