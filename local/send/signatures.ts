import { createHmac } from "node:crypto";

import type { HeaderValues, ToSign } from "./vendor.ts";

/**
 * Signatures as the vendors make them, written from their documentation. Nothing here is the product's: what verifies
 * these has to have understood the vendors as well.
 */
type Text = string | Buffer;

const seconds = (time: Date): string => String(Math.floor(time.getTime() / 1000));

function hmac(algorithm: string, key: Text, ...parts: readonly Text[]): Buffer {
  const mac = createHmac(algorithm, key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

export function signGithub({ secret, body }: ToSign): HeaderValues {
  return { "X-Hub-Signature-256": `sha256=${hmac("sha256", secret, body).toString("hex")}` };
}

export function signGitlabToken({ secret }: ToSign): HeaderValues {
  return { "X-Gitlab-Token": secret };
}

export function signStripe({ secret, body, sentAt }: ToSign): HeaderValues {
  const t = seconds(sentAt);
  return { "Stripe-Signature": `t=${t},v1=${hmac("sha256", secret, `${t}.`, body).toString("hex")}` };
}

export function signTerraformCloud({ secret, body }: ToSign): HeaderValues {
  return { "X-TFE-Notification-Signature": hmac("sha512", secret, body).toString("hex") };
}

export function signSlack({ secret, body, sentAt }: ToSign): HeaderValues {
  const timestamp = seconds(sentAt);
  const digest = hmac("sha256", secret, `v0:${timestamp}:`, body).toString("hex");
  return { "X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": `v0=${digest}` };
}

export function signWorkfront({ secret }: ToSign): HeaderValues {
  return { Authorization: `Bearer ${secret}` };
}

export function signStandardWebhooks({ secret, body, deliveryId, sentAt }: ToSign): HeaderValues {
  const timestamp = seconds(sentAt);
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
  const digest = hmac("sha256", key, `${deliveryId}.${timestamp}.`, body).toString("base64");
  return {
    "webhook-id": deliveryId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${digest}`,
  };
}

export function signGenericHmac({ secret, body, sentAt, hmacSettings }: ToSign): HeaderValues {
  const { header, algorithm = "sha256", encoding = "hex", prefix = "", timestamp } = hmacSettings;
  const sent = seconds(sentAt);
  const template = timestamp === undefined ? "{body}" : (timestamp.template ?? "{timestamp}.{body}");
  const [before = "", after = ""] = template.replaceAll("{timestamp}", sent).split("{body}");
  return {
    [header]: `${prefix}${hmac(algorithm, secret, before, body, after).toString(encoding)}`,
    ...(timestamp && { [timestamp.header]: sent }),
  };
}
