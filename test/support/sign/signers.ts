import { createHmac, type KeyObject, sign } from "node:crypto";

/**
 * Signatures as the vendors make them, written from their documentation and with nothing of the product's: what
 * verifies these must have understood the vendors too.
 */
export type HeaderValues = Readonly<Record<string, string>>;

type Body = string | Uint8Array;

const seconds = (time: Date): string => String(Math.floor(time.getTime() / 1000));

const signedBytes = (prefix: string, body: Body): Buffer =>
  Buffer.concat([Buffer.from(prefix, "utf8"), Buffer.from(body)]);

export function signGithub(secret: string, body: Body): HeaderValues {
  const digest = createHmac("sha256", secret).update(Buffer.from(body)).digest("hex");
  return { "X-Hub-Signature-256": `sha256=${digest}` };
}

export function signGitlabToken(secret: string): HeaderValues {
  return { "X-Gitlab-Token": secret };
}

export function signStripe(secrets: string | readonly string[], body: Body, sentAt: Date): HeaderValues {
  const t = seconds(sentAt);
  const signatures = [secrets].flat().map((secret) =>
    createHmac("sha256", secret)
      .update(signedBytes(`${t}.`, body))
      .digest("hex"),
  );
  return { "Stripe-Signature": [`t=${t}`, ...signatures.map((v1) => `v1=${v1}`)].join(",") };
}

export function signTerraformCloud(secret: string, body: Body): HeaderValues {
  const digest = createHmac("sha512", secret).update(Buffer.from(body)).digest("hex");
  return { "X-TFE-Notification-Signature": digest };
}

export function signSlack(secret: string, body: Body, sentAt: Date): HeaderValues {
  const timestamp = seconds(sentAt);
  const digest = createHmac("sha256", secret)
    .update(signedBytes(`v0:${timestamp}:`, body))
    .digest("hex");
  return { "X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": `v0=${digest}` };
}

export function signWorkfront(token: string): HeaderValues {
  return { Authorization: `Bearer ${token}` };
}

export interface StandardWebhooksMessage {
  readonly id: string;
  readonly body: Body;
  readonly sentAt: Date;
}

/** A text key is a secret, `whsec_` and base64 or used as it is; a key object is the private half of an ed25519 pair. */
export function signStandardWebhooks(
  keys: string | KeyObject | readonly (string | KeyObject)[],
  { id, body, sentAt }: StandardWebhooksMessage,
): HeaderValues {
  const timestamp = seconds(sentAt);
  const content = signedBytes(`${id}.${timestamp}.`, body);
  const signatures = [keys].flat().map((key) => {
    if (typeof key !== "string") return `v1a,${sign(null, content, key).toString("base64")}`;
    const bytes = key.startsWith("whsec_") ? Buffer.from(key.slice(6), "base64") : Buffer.from(key);
    return `v1,${createHmac("sha256", bytes).update(content).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

export interface GenericHmacSettings {
  readonly header: string;
  readonly algorithm?: "sha1" | "sha256" | "sha512";
  readonly encoding?: "hex" | "base64";
  readonly prefix?: string;
  readonly timestamp?: { readonly header: string; readonly template?: string };
}

export function signGenericHmac(
  secret: string,
  body: Body,
  settings: GenericHmacSettings,
  sentAt: Date,
): HeaderValues {
  const { header, algorithm = "sha256", encoding = "hex", prefix = "", timestamp } = settings;
  const sent = seconds(sentAt);
  const template = timestamp === undefined ? "{body}" : (timestamp.template ?? "{timestamp}.{body}");
  const [before = "", after = ""] = template.replaceAll("{timestamp}", sent).split("{body}");
  const content = Buffer.concat([signedBytes(before, body), Buffer.from(after)]);
  const digest = createHmac(algorithm, secret).update(content).digest(encoding);
  return {
    [header]: `${prefix}${digest}`,
    ...(timestamp === undefined ? {} : { [timestamp.header]: sent }),
  };
}
