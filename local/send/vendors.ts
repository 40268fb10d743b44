import { githubSamples } from "./samples/github.ts";
import { gitlabSamples } from "./samples/gitlab.ts";
import { genericSamples, standardWebhooksSamples } from "./samples/others.ts";
import { slackSamples } from "./samples/slack.ts";
import { stripeSamples } from "./samples/stripe.ts";
import { terraformCloudSamples } from "./samples/terraform-cloud.ts";
import { workfrontSamples } from "./samples/workfront.ts";
import * as signatures from "./signatures.ts";
import type { HeaderValues, Vendor } from "./vendor.ts";

/** GitLab calls the hook of a merge_request `Merge Request Hook`. */
function gitlabHeaders(event: string, deliveryId: string): HeaderValues {
  const kind = event.split(".", 1)[0] ?? event;
  const hook = kind.split("_").map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return { "X-Gitlab-Event": `${hook.join(" ")} Hook`, "Idempotency-Key": deliveryId };
}

/** Every vendor that can be played. `gitlab-signed` is GitLab with a signing token, for a connection that says so. */
const table = {
  github: {
    samples: githubSamples,
    headers: (event, deliveryId) => ({
      "User-Agent": "GitHub-Hookshot/044aadd",
      "X-GitHub-Delivery": deliveryId,
      "X-GitHub-Event": event.split(".", 1)[0] ?? event,
      "X-GitHub-Hook-ID": "292430182",
    }),
    sign: signatures.signGithub,
    signsBody: true,
  },
  gitlab: {
    samples: gitlabSamples,
    headers: gitlabHeaders,
    sign: signatures.signGitlabToken,
    signsBody: false,
  },
  "gitlab-signed": {
    samples: gitlabSamples,
    headers: gitlabHeaders,
    sign: signatures.signStandardWebhooks,
    signsBody: true,
  },
  stripe: {
    samples: stripeSamples,
    headers: () => ({ "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)" }),
    sign: signatures.signStripe,
    signsBody: true,
  },
  "terraform-cloud": {
    samples: terraformCloudSamples,
    sign: signatures.signTerraformCloud,
    signsBody: true,
  },
  slack: { samples: slackSamples, sign: signatures.signSlack, signsBody: true },
  workfront: { samples: workfrontSamples, sign: signatures.signWorkfront, signsBody: false },
  "standard-webhooks": {
    samples: standardWebhooksSamples,
    sign: signatures.signStandardWebhooks,
    signsBody: true,
  },
  generic: { samples: genericSamples, sign: signatures.signGenericHmac, signsBody: true },
} as const satisfies Record<string, Vendor>;

export type VendorName = keyof typeof table;

export const vendors: Readonly<Record<VendorName, Vendor>> = table;
export const vendorNames = Object.keys(table) as VendorName[];

export function isVendorName(text: string): text is VendorName {
  return Object.hasOwn(table, text);
}
