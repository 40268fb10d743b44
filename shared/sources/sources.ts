import { generic } from "./generic.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { slack } from "./slack.ts";
import type { Source } from "./source.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import { stripe } from "./stripe.ts";
import { terraformCloud } from "./terraform-cloud.ts";
import { workfront } from "./workfront.ts";

/** Every system whose webhooks Interlock understands. */
export const sources = {
  github,
  gitlab,
  stripe,
  "terraform-cloud": terraformCloud,
  slack,
  workfront,
  "standard-webhooks": standardWebhooks,
  generic,
} as const satisfies Record<string, Source>;

export type SourceName = keyof typeof sources;

const byName: ReadonlyMap<string, Source> = new Map(Object.entries(sources));

export function findSource(name: string): Source | undefined {
  return byName.get(name);
}
