import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from "node:crypto";

import type { Sample } from "./samples/sample.ts";
import { ordersSettings } from "./samples/others.ts";
import { sampleWebhook, type SampleOptions, type VendorName, vendors } from "./sample-webhook.ts";
import { type HeaderValues, signGenericHmac, signStandardWebhooks } from "./signers.ts";

/** One way in which webhooks of a source are signed: what the connection says, and what the vendor does. */
export interface SigningCase {
  readonly name: string;
  readonly source: VendorName;
  /** Of the connection, without the secret. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The header that carries the signature, or the token. */
  readonly header: string;
  /** A token says who sends, and nothing about what. */
  readonly signsBody: boolean;
  /** Where the time of sending is signed too: the same headers, saying it was now. */
  readonly redated?: (headers: HeaderValues, now: Date) => HeaderValues;
  readonly newSigner: () => Signer;
}

/** A secret of its own, as Interlock is given it, and whoever has it. */
export interface Signer {
  readonly secret: string;
  readonly sign: (body: Uint8Array, sentAt: Date, id: string) => HeaderValues;
}

export interface SignedWebhook {
  readonly headers: HeaderValues;
  readonly body: Buffer;
  readonly sample: Sample;
}

const unixSeconds = (time: Date): string => String(Math.floor(time.getTime() / 1000));

const redatedBy =
  (header: string) =>
  (headers: HeaderValues, now: Date): HeaderValues => ({ ...headers, [header]: unixSeconds(now) });

const text = (): string => `secret-${randomUUID()}`;
const base64 = (): string => `whsec_${randomBytes(24).toString("base64")}`;

/** As the source's vendor signs, with a secret made here. */
const usual = (source: VendorName, newSecret: () => string) => (): Signer => {
  const secret = newSecret();
  return { secret, sign: (body, sentAt, id) => vendors[source].sign(secret, body, sentAt, id) };
};

function standardSigner(): Signer {
  const secret = base64();
  return { secret, sign: (body, sentAt, id) => signStandardWebhooks(secret, { id, body, sentAt }) };
}

function ed25519Signer(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const sign: Signer["sign"] = (body, sentAt, id) => signStandardWebhooks(privateKey, { id, body, sentAt });
  return { secret: `whpk_${rawKey(publicKey)}`, sign };
}

function rawKey(key: KeyObject): string {
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url").toString("base64");
}

const plainHmac = { header: "X-Digest", algorithm: "sha512", encoding: "hex" } as const;
const standardWebhooks = { header: "webhook-signature", redated: redatedBy("webhook-timestamp") };

const signatures: readonly Omit<SigningCase, "signsBody">[] = [
  {
    name: "github",
    source: "github",
    settings: {},
    header: "X-Hub-Signature-256",
    newSigner: usual("github", text),
  },
  {
    name: "gitlab, signed",
    source: "gitlab",
    settings: { scheme: "standard-webhooks" },
    ...standardWebhooks,
    newSigner: standardSigner,
  },
  {
    name: "stripe",
    source: "stripe",
    settings: {},
    header: "Stripe-Signature",
    redated: (headers, now) => ({
      ...headers,
      "Stripe-Signature": (headers["Stripe-Signature"] ?? "").replace(/t=\d+/, `t=${unixSeconds(now)}`),
    }),
    newSigner: usual("stripe", base64),
  },
  {
    name: "terraform-cloud",
    source: "terraform-cloud",
    settings: {},
    header: "X-TFE-Notification-Signature",
    newSigner: usual("terraform-cloud", text),
  },
  {
    name: "slack",
    source: "slack",
    settings: {},
    header: "X-Slack-Signature",
    redated: redatedBy("X-Slack-Request-Timestamp"),
    newSigner: usual("slack", text),
  },
  {
    name: "standard-webhooks, v1",
    source: "standard-webhooks",
    settings: {},
    ...standardWebhooks,
    newSigner: standardSigner,
  },
  {
    name: "standard-webhooks, v1a",
    source: "standard-webhooks",
    settings: {},
    ...standardWebhooks,
    newSigner: ed25519Signer,
  },
  {
    name: "generic, HMAC with a timestamp",
    source: "generic",
    settings: { schemeConfig: ordersSettings.scheme },
    header: ordersSettings.scheme.header,
    redated: redatedBy(ordersSettings.scheme.timestamp.header),
    newSigner: usual("generic", text),
  },
  {
    name: "generic, HMAC of the body alone",
    source: "generic",
    settings: { schemeConfig: plainHmac },
    header: plainHmac.header,
    newSigner: () => {
      const secret = text();
      return { secret, sign: (body, sentAt) => signGenericHmac(secret, body, plainHmac, sentAt) };
    },
  },
  {
    name: "generic, standard-webhooks",
    source: "generic",
    settings: { scheme: "standard-webhooks" },
    ...standardWebhooks,
    newSigner: standardSigner,
  },
];

const tokens: readonly Omit<SigningCase, "signsBody">[] = [
  {
    name: "gitlab, token",
    source: "gitlab",
    settings: {},
    header: "X-Gitlab-Token",
    newSigner: usual("gitlab", text),
  },
  {
    name: "workfront",
    source: "workfront",
    settings: {},
    header: "Authorization",
    newSigner: usual("workfront", text),
  },
];

/** Every source with every scheme it may use. */
export const signingCases: readonly SigningCase[] = [
  ...signatures.map((each) => ({ ...each, signsBody: true })),
  ...tokens.map((each) => ({ ...each, signsBody: false })),
];

export function signingCase(name: string): SigningCase {
  const found = signingCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no signing case '${name}'.`);
  return found;
}

/** What a connection for it is made with. */
export function connectionSettings(
  { source, settings }: SigningCase,
  secret: string,
): Record<string, unknown> {
  const { normaliserConfig } = vendors[source];
  return {
    name: `A sender of ${source}`,
    source,
    secret,
    ...(normaliserConfig === undefined ? {} : { normaliserConfig }),
    ...settings,
  };
}

/** A webhook of the source's samples, signed in the way of the case. */
export function signedWebhook(
  { source }: SigningCase,
  { sign }: Signer,
  { delivery = randomUUID(), sentAt = new Date(), ...options }: Omit<SampleOptions, "secret"> = {},
): SignedWebhook {
  const { body, headers, sample } = sampleWebhook(source, { delivery, ...options });
  const contentType = { "Content-Type": headers["Content-Type"] ?? "" };
  const signature = sign(body, sentAt, `msg_${delivery}`);
  return { headers: { ...contentType, ...sample.headers, ...signature }, body, sample };
}
