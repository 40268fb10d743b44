import { randomUUID } from "node:crypto";

import type { SchemeName } from "../../../shared/sources/schemes.ts";
import type { SourceName } from "../../../shared/sources/sources.ts";
import {
  contactsSettings,
  genericSamples,
  ordersSettings,
  standardWebhooksSamples,
} from "./samples/others.ts";
import { githubSamples } from "./samples/github.ts";
import { gitlabSamples } from "./samples/gitlab.ts";
import type { Sample, Samples } from "./samples/sample.ts";
import { slackSamples } from "./samples/slack.ts";
import { stripeSamples } from "./samples/stripe.ts";
import { terraformCloudSamples } from "./samples/terraform-cloud.ts";
import { workfrontSamples } from "./samples/workfront.ts";
import {
  type HeaderValues,
  signGenericHmac,
  signGithub,
  signGitlabToken,
  signSlack,
  signStandardWebhooks,
  signStripe,
  signTerraformCloud,
  signWorkfront,
} from "./signers.ts";

export interface Vendor {
  readonly scheme: SchemeName;
  /** A secret of the form the scheme wants. */
  readonly secret: string;
  readonly schemeConfig?: unknown;
  readonly normaliserConfig?: unknown;
  readonly samples: Samples;
  readonly sign: (secret: string, body: Uint8Array, sentAt: Date, id: string) => HeaderValues;
}

const table = {
  github: {
    scheme: "github",
    secret: "It's a Secret to Everybody",
    samples: githubSamples,
    sign: signGithub,
  },
  gitlab: {
    scheme: "gitlab-token",
    secret: "glwebhook-4f7a2c9e",
    samples: gitlabSamples,
    sign: signGitlabToken,
  },
  stripe: {
    scheme: "stripe",
    secret: "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH",
    samples: stripeSamples,
    sign: signStripe,
  },
  "terraform-cloud": {
    scheme: "terraform-cloud",
    secret: "tfc-notification-token",
    samples: terraformCloudSamples,
    sign: signTerraformCloud,
  },
  slack: {
    scheme: "slack",
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    samples: slackSamples,
    sign: signSlack,
  },
  workfront: {
    scheme: "workfront",
    secret: "EauthTokenWorkfrontRocks1234_",
    samples: workfrontSamples,
    sign: signWorkfront,
  },
  "standard-webhooks": {
    scheme: "standard-webhooks",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    normaliserConfig: contactsSettings,
    samples: standardWebhooksSamples,
    sign: (secret, body, sentAt, id) => signStandardWebhooks(secret, { id, body, sentAt }),
  },
  generic: {
    scheme: "generic-hmac",
    secret: "a shop's shared secret",
    schemeConfig: ordersSettings.scheme,
    normaliserConfig: ordersSettings.normaliser,
    samples: genericSamples,
    sign: (secret, body, sentAt) => signGenericHmac(secret, body, ordersSettings.scheme, sentAt),
  },
} as const satisfies Record<SourceName, Vendor>;

export type VendorName = keyof typeof table;

/** Every source, with what a connection for it needs and how its vendor signs. */
export const vendors: Readonly<Record<VendorName, Vendor>> = table;
export const vendorNames = Object.keys(table) as VendorName[];

export interface SampleOptions {
  readonly secret?: string;
  /** The vendor's first sample otherwise. */
  readonly subject?: string;
  /** The same one again makes a redelivery. */
  readonly delivery?: string;
  readonly sentAt?: Date;
  /** Merged into the top level of the payload. */
  readonly change?: Readonly<Record<string, unknown>>;
}

export interface SampleWebhook {
  readonly headers: HeaderValues;
  readonly body: Buffer;
  /** What Interlock should make of it. */
  readonly sample: Sample;
}

/** A signed webhook of a vendor, ready to be sent. */
export function sampleWebhook(vendor: VendorName, options: SampleOptions = {}): SampleWebhook {
  const { delivery = randomUUID(), sentAt = new Date(), change = {} } = options;
  const { secret, samples, sign } = vendors[vendor];
  const all = samples(delivery);
  const sample =
    options.subject === undefined ? all[0] : all.find(({ subject }) => subject === options.subject);
  if (sample === undefined) throw new Error(`There is no sample of ${options.subject}.`);
  const { body, contentType } = write({ ...sample, payload: { ...sample.payload, ...change } });
  const signature = sign(options.secret ?? secret, body, sentAt, `msg_${delivery}`);
  return { headers: { "Content-Type": contentType, ...sample.headers, ...signature }, body, sample };
}

function write({ payload, sentAs }: Sample): { readonly body: Buffer; readonly contentType: string } {
  if (sentAs === undefined)
    return { body: Buffer.from(JSON.stringify(payload)), contentType: "application/json" };
  const fields: [string, string][] =
    sentAs === "form"
      ? Object.entries(payload).map(([name, value]) => [name, String(value)])
      : [["payload", JSON.stringify(payload)]];
  const body = Buffer.from(new URLSearchParams(fields).toString());
  return { body, contentType: "application/x-www-form-urlencoded" };
}
