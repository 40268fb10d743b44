import { defineScheme, judge, refused } from "./define-scheme.ts";
import { fingerprint } from "./digest.ts";

/** The subscription's `authToken`, as a bearer token. */
export const workfront = defineScheme({
  name: "workfront",
  check({ webhook, secrets }) {
    const header = webhook.headers.get("authorization");
    if (!header) return refused("missing");
    const [, token] = /^bearer +(\S+)$/i.exec(header) ?? [];
    if (token === undefined) return refused("malformed");
    return judge([fingerprint(token)], secrets.map(fingerprint));
  },
  secretProblem: (secret) =>
    /\s/.test(secret) ? "A bearer token holds no spaces or line breaks." : undefined,
});
