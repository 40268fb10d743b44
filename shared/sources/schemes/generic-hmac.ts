import type { Webhook } from "../source.ts";
import { defineScheme, judge, refused } from "./define-scheme.ts";
import { decodeDigest, digestLengths, hmac } from "./digest.ts";
import {
  genericHmacConfigSchema,
  type GenericHmacConfig,
  readGenericHmacConfig,
} from "./generic-hmac-config.ts";
import { isFresh, parseTimestamp } from "./timestamp.ts";

/** Seconds stay below this for three thousand years; milliseconds have been above it since 1973. */
const firstMilliseconds = 100_000_000_000;

/** HMAC of the body, with or without a timestamp, in whatever dress the settings say. */
export const genericHmac = defineScheme({
  name: "generic-hmac",
  configSchema: genericHmacConfigSchema,
  check({ webhook, secrets, now, config }) {
    const {
      algorithm = "sha256",
      encoding = "hex",
      prefix = "",
      ...settings
    } = readGenericHmacConfig(config);
    const header = webhook.headers.get(settings.header);
    if (!header) return refused("missing");
    if (!header.startsWith(prefix)) return refused("malformed");
    const given = decodeDigest(header.slice(prefix.length), encoding, digestLengths[algorithm]);
    if (given === undefined) return refused("malformed");
    const text = signedText(webhook, settings.timestamp);
    if ("reason" in text) return refused(text.reason);
    const expected = secrets.map((secret) => hmac(algorithm, secret, ...text.parts));
    const { toleranceSeconds } = settings.timestamp ?? {};
    const fresh = text.sentSeconds === undefined || isFresh(text.sentSeconds, now, toleranceSeconds);
    return judge([given], expected, fresh);
  },
});

type SignedText =
  | { readonly parts: readonly (string | Uint8Array)[]; readonly sentSeconds?: number }
  | { readonly reason: "missing" | "malformed" };

function signedText(webhook: Webhook, timestamp: GenericHmacConfig["timestamp"]): SignedText {
  if (timestamp === undefined) return { parts: [webhook.body] };
  const sent = webhook.headers.get(timestamp.header);
  if (!sent) return { reason: "missing" };
  const time = parseTimestamp(sent) ?? parseMilliseconds(sent);
  if (time === undefined) return { reason: "malformed" };
  const template = timestamp.template ?? "{timestamp}.{body}";
  const [before = "", after = ""] = template
    .split("{body}")
    .map((part) => part.replaceAll("{timestamp}", sent));
  const sentSeconds = time < firstMilliseconds ? time : time / 1000;
  return { parts: [before, webhook.body, after], sentSeconds };
}

function parseMilliseconds(text: string): number | undefined {
  return /^\d{13,15}$/.test(text) ? Number(text) : undefined;
}
