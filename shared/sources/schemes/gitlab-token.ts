import { defineScheme, judge, refused } from "./define-scheme.ts";
import { fingerprint } from "./digest.ts";

/** The secret itself travels in a header; it proves who sends and says nothing about the body. */
export const gitlabToken = defineScheme({
  name: "gitlab-token",
  check({ webhook, secrets }) {
    const token = webhook.headers.get("x-gitlab-token");
    if (!token) return refused("missing");
    return judge([fingerprint(token)], secrets.map(fingerprint));
  },
});
