import type { Scheme } from "./source.ts";
import { genericHmac } from "./schemes/generic-hmac.ts";
import { github } from "./schemes/github.ts";
import { gitlabToken } from "./schemes/gitlab-token.ts";
import { slack } from "./schemes/slack.ts";
import { standardWebhooks } from "./schemes/standard-webhooks.ts";
import { stripe } from "./schemes/stripe.ts";
import { terraformCloud } from "./schemes/terraform-cloud.ts";
import { workfront } from "./schemes/workfront.ts";

/** Every way to sign a webhook that Interlock can check. */
export const schemes = {
  github,
  "gitlab-token": gitlabToken,
  "standard-webhooks": standardWebhooks,
  stripe,
  "terraform-cloud": terraformCloud,
  slack,
  workfront,
  "generic-hmac": genericHmac,
} as const satisfies Record<string, Scheme>;

export type SchemeName = keyof typeof schemes;

const byName: ReadonlyMap<string, Scheme> = new Map(Object.entries(schemes));

export function findScheme(name: string): Scheme | undefined {
  return byName.get(name);
}
