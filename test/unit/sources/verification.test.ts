import { generateKeyPairSync, randomBytes } from "node:crypto";

import { assert, constantFrom, dictionary, property, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";

import { findScheme, schemes } from "../../../shared/sources/schemes.ts";
import type { Verdict } from "../../../shared/sources/source.ts";
import { type VendorName, sampleWebhook, vendorNames, vendors } from "../../support/sign/sample-webhook.ts";
import {
  type HeaderValues,
  signGenericHmac,
  signStandardWebhooks,
  signStripe,
} from "../../support/sign/signers.ts";
import { webhook } from "../../support/sign/webhook.ts";

const now = new Date("2025-11-18T12:00:00Z");
const verified: Verdict = { kind: "verified" };
const refused = (reason: string): object => ({ kind: "refused", reason });

/** Of the connection's settings only the secrets vary. */
function verify(
  vendor: VendorName,
  headers: HeaderValues,
  body: Uint8Array,
  options: { readonly secrets?: readonly string[]; readonly now?: Date } = {},
): Verdict | undefined {
  const { scheme, secret, schemeConfig } = vendors[vendor];
  return findScheme(scheme)?.verify({
    webhook: webhook(headers, body),
    secrets: options.secrets ?? [secret],
    now: options.now ?? now,
    config: schemeConfig,
  });
}

const signed = (vendor: VendorName): ReturnType<typeof sampleWebhook> =>
  sampleWebhook(vendor, { sentAt: now });

/** The headers that carry the proof, by vendor. */
const proof: Readonly<Record<VendorName, readonly string[]>> = {
  github: ["X-Hub-Signature-256"],
  gitlab: ["X-Gitlab-Token"],
  stripe: ["Stripe-Signature"],
  "terraform-cloud": ["X-TFE-Notification-Signature"],
  slack: ["X-Slack-Signature", "X-Slack-Request-Timestamp"],
  workfront: ["Authorization"],
  "standard-webhooks": ["webhook-signature", "webhook-timestamp", "webhook-id"],
  generic: ["X-Shop-Signature", "X-Shop-Timestamp"],
};
const signers = vendorNames.filter((name) => name !== "gitlab" && name !== "workfront");
const timed = ["stripe", "slack", "standard-webhooks", "generic"] as const;
const tolerance = { stripe: 300, slack: 300, "standard-webhooks": 300, generic: 120 };

describe.each(vendorNames)("ING-02: a webhook of %s", (vendor) => {
  test("verifies with its secret, also where another is being replaced", () => {
    const { headers, body } = signed(vendor);
    const { secret } = vendors[vendor];
    expect(verify(vendor, headers, body)).toEqual(verified);
    expect(verify(vendor, headers, body, { secrets: ["whsec_bmV3ZXI=", secret] })).toEqual(verified);
    expect(verify(vendor, headers, body, { secrets: [secret, "whsec_bmV3ZXI="] })).toEqual(verified);
  });

  test("is refused with another secret", () => {
    const { headers, body } = signed(vendor);
    const secrets = ["whsec_c29tZWJvZHkgZWxzZSdz", `${vendors[vendor].secret}x`];
    expect(verify(vendor, headers, body, { secrets })).toEqual(refused("mismatch"));
  });

  test("is refused where there is no secret, or an empty one", () => {
    const { headers, body } = signed(vendor);
    for (const secrets of [[], [""], [" ", ""]]) {
      expect(verify(vendor, headers, body, { secrets })).toEqual(refused("no-secret"));
    }
  });

  test.each(proof[vendor])("is refused without %s", (name) => {
    const { headers, body } = signed(vendor);
    const { [name]: _, ...rest } = headers;
    expect(verify(vendor, rest, body)).toEqual(refused("missing"));
    expect(verify(vendor, { ...rest, [name]: "" }, body)).toEqual(refused("missing"));
  });
});

describe.each(signers)("ING-02: the signature of %s", (vendor) => {
  test("covers every byte", () => {
    const { headers, body } = signed(vendor);
    for (const at of [0, body.length >> 1, body.length - 1]) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(verify(vendor, headers, changed)).toEqual(refused("mismatch"));
    }
    expect(verify(vendor, headers, body.subarray(1))).toEqual(refused("mismatch"));
    expect(verify(vendor, headers, Buffer.concat([body, Buffer.from("\n")]))).toEqual(refused("mismatch"));
    expect(verify(vendor, headers, Buffer.alloc(0))).toEqual(refused("mismatch"));
  });

  test("is of bytes, also where they are no text", () => {
    const body = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0xc3]), randomBytes(200)]);
    const { secret, sign } = vendors[vendor];
    const headers = sign(secret, body, now, "msg_1");
    expect(verify(vendor, headers, body)).toEqual(verified);
    const likeIt = Buffer.from(body.toString("utf8"));
    expect(verify(vendor, headers, likeIt)).toEqual(refused("mismatch"));
  });

  test("is refused when it was cut off, or is another's of its kind", () => {
    const { headers, body } = signed(vendor);
    const [name = ""] = proof[vendor];
    const value = headers[name] ?? "";
    for (const wrong of [
      value.slice(0, -2),
      value.slice(0, value.length >> 1),
      "sha256=",
      "v0=",
      "garbage",
    ]) {
      expect(verify(vendor, { ...headers, [name]: wrong }, body), wrong).toEqual(refused("malformed"));
    }
    const other = sampleWebhook(vendor, { sentAt: now, change: { more: true } }).headers[name] ?? "";
    expect(verify(vendor, { ...headers, [name]: other }, body)).toEqual(refused("mismatch"));
  });
});

describe.each(timed)("ING-02: the age of a webhook of %s", (vendor) => {
  const seconds = tolerance[vendor];
  const at = (offset: number): Date => new Date(now.getTime() + offset * 1000);

  test("may be anything within the tolerance, before and after", () => {
    for (const offset of [-seconds, -1, 0, 1, seconds]) {
      const { headers, body } = sampleWebhook(vendor, { sentAt: at(offset) });
      expect(verify(vendor, headers, body), String(offset)).toEqual(verified);
    }
  });

  test("is refused beyond it: the old, the replayed, and those from the future", () => {
    const { headers, body } = signed(vendor);
    for (const offset of [-86_400, -seconds - 1, seconds + 1, 86_400]) {
      expect(verify(vendor, headers, body, { now: at(offset) }), String(offset)).toEqual(refused("stale"));
    }
  });

  test("cannot be freshened by who does not have the secret", () => {
    const { headers, body } = signed(vendor);
    const later = at(3600);
    const fresh = sampleWebhook(vendor, { sentAt: later }).headers;
    const name = proof[vendor][1] ?? "";
    const forged =
      vendor === "stripe" ? freshenedStripe(headers, later) : { ...headers, [name]: fresh[name] ?? "" };
    expect(verify(vendor, forged, body, { now: later })).toEqual(refused("mismatch"));
  });

  test("must be told in digits", () => {
    const { headers, body } = signed(vendor);
    const name = vendor === "stripe" ? "Stripe-Signature" : (proof[vendor][1] ?? "");
    const value = headers[name] ?? "";
    for (const wrong of ["now", "-1", "1e9", "0x65", " 1763467200", "1763467200.5", "NaN", "9".repeat(400)]) {
      const changed = vendor === "stripe" ? value.replace(/t=\d+/, `t=${wrong}`) : wrong;
      const verdict = verify(vendor, { ...headers, [name]: changed }, body);
      expect(verdict, wrong).toEqual(refused("malformed"));
    }
  });
});

function freshenedStripe(headers: HeaderValues, later: Date): HeaderValues {
  const value = headers["Stripe-Signature"] ?? "";
  return { ...headers, "Stripe-Signature": value.replace(/t=\d+/, `t=${later.getTime() / 1000}`) };
}

describe("ING-02: several signatures in one header", () => {
  test("Stripe's verify by any v1, and v0 counts for nothing", () => {
    const body = Buffer.from("{}");
    const { secret } = vendors.stripe;
    const rolling = signStripe(["whsec_older", secret], body, now);
    expect(verify("stripe", rolling, body)).toEqual(verified);
    const value = signStripe(secret, body, now)["Stripe-Signature"] ?? "";
    const downgraded = { "Stripe-Signature": value.replace("v1=", "v0=") };
    expect(verify("stripe", downgraded, body)).toEqual(refused("malformed"));
    const spaced = { "Stripe-Signature": value.replace(",", ", ") };
    expect(verify("stripe", spaced, body)).toEqual(verified);
    const twoTimes = { "Stripe-Signature": `t=1,${value}` };
    expect(verify("stripe", twoTimes, body)).toEqual(refused("malformed"));
  });

  const pair = generateKeyPairSync("ed25519");
  const publicKey = `whpk_${Buffer.from(pair.publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("base64")}`;
  const message = { id: "msg_1", body: Buffer.from([0xff, 0x00, 0x7b]), sentAt: now };
  const scheme = schemes["standard-webhooks"];
  const check = (headers: HeaderValues, secrets: readonly string[], body = message.body): Verdict =>
    scheme.verify({ webhook: webhook(headers, body), secrets, now, config: undefined });

  test("Standard Webhooks' verify by secret or by public key, whichever the receiver has", () => {
    const headers = signStandardWebhooks(["whsec_YW55IG9sZCBzZWNyZXQ=", pair.privateKey], message);
    expect(check(headers, ["whsec_YW55IG9sZCBzZWNyZXQ="])).toEqual(verified);
    expect(check(headers, [publicKey])).toEqual(verified);
    expect(check(headers, ["whsec_bmV3ZXI=", publicKey])).toEqual(verified);
    expect(check(headers, ["whsec_bmV3ZXI="])).toEqual(refused("mismatch"));
    expect(check(headers, [publicKey], Buffer.from([0xff, 0x01, 0x7b]))).toEqual(refused("mismatch"));
  });

  test("a public key does not serve as a secret", () => {
    const headers = signStandardWebhooks(publicKey, message);
    expect(check(headers, [publicKey])).toEqual(refused("mismatch"));
  });

  test("unknown versions are passed over, and a header with nothing else is malformed", () => {
    const headers = signStandardWebhooks("a raw secret, long enough", message);
    const value = headers["webhook-signature"] ?? "";
    const secrets = ["a raw secret, long enough"];
    expect(check({ ...headers, "webhook-signature": `v9,aaaa  ${value} v2,` }, secrets)).toEqual(verified);
    for (const wrong of [
      "v9,aaaa",
      value.replace("v1,", "v1"),
      value.slice(3),
      `${value}!`,
      value.toUpperCase(),
    ]) {
      expect(check({ ...headers, "webhook-signature": wrong }, secrets), wrong).toEqual(refused("malformed"));
    }
    const many = Array.from({ length: 11 }, () => value).join(" ");
    expect(check({ ...headers, "webhook-signature": many }, secrets)).toEqual(refused("malformed"));
  });

  test("an id with a dot is refused: it could move the border between id and timestamp", () => {
    const headers = signStandardWebhooks("a raw secret, long enough", { ...message, id: "msg.1" });
    expect(check(headers, ["a raw secret, long enough"])).toEqual(refused("malformed"));
  });

  test("GitLab's signing token is one of these", () => {
    const secret = `whsec_${Buffer.from("testtesttesttesttesttesttesttest").toString("base64")}`;
    expect(check(signStandardWebhooks(secret, message), [secret])).toEqual(verified);
  });
});

describe("ING-02: the generic scheme", () => {
  const body = Buffer.from('{"a":1}');
  const verifyGeneric = (headers: HeaderValues, config: unknown, at: Date = now): Verdict =>
    schemes["generic-hmac"].verify({ webhook: webhook(headers, body), secrets: ["shared"], now: at, config });

  test.each([
    [{ header: "X-Signature" }],
    [{ header: "X-Signature", algorithm: "sha512", encoding: "base64" }],
    [{ header: "X-Signature", algorithm: "sha1", prefix: "sha1=" }],
    [{ header: "X-Signature", timestamp: { header: "X-Time" } }],
    [{ header: "X-Signature", timestamp: { header: "X-Time", template: "v0:{timestamp}:{body}" } }],
    [{ header: "X-Signature", timestamp: { header: "X-Time", template: "{body}|{timestamp}|{timestamp}" } }],
  ] as const)("verifies by its settings: %j", (config) => {
    const headers = signGenericHmac("shared", body, config, now);
    expect(verifyGeneric(headers, config)).toEqual(verified);
    expect(verifyGeneric({ ...headers, "X-Signature": `x${headers["X-Signature"]}` }, config)).toEqual(
      refused("malformed"),
    );
    expect(verifyGeneric(signGenericHmac("other", body, config, now), config)).toEqual(refused("mismatch"));
  });

  test("takes a timestamp in milliseconds too", () => {
    const config = { header: "X-Signature", timestamp: { header: "X-Time" } };
    const milliseconds = String(now.getTime());
    const template = { ...config, timestamp: { header: "X-Time", template: `${milliseconds}.{body}` } };
    const headers = { ...signGenericHmac("shared", body, template, now), "X-Time": milliseconds };
    expect(verifyGeneric(headers, config)).toEqual(verified);
    expect(verifyGeneric(headers, config, new Date(now.getTime() + 301_000))).toEqual(refused("stale"));
  });

  test("does not guess where its settings are wrong", () => {
    for (const config of [
      undefined,
      {},
      { header: "" },
      { header: "X-Signature", algorithm: "md5" },
      { header: "X-Signature", timestamp: { header: "X-Time", template: "{body}" } },
      { header: "X-Signature", timestamp: { header: "X-Time", toleranceSeconds: 0 } },
    ]) {
      expect(() => verifyGeneric({ "X-Signature": "00" }, config), JSON.stringify(config)).toThrow(TypeError);
    }
  });
});

describe("ING-02: whatever comes in", () => {
  const schemeNames = Object.keys(schemes) as (keyof typeof schemes)[];
  const names = Object.values(proof).flat();

  test("is never verified without the secret, and never an exception", () => {
    const config = { header: "X-Shop-Signature", prefix: "v1=", timestamp: { header: "X-Shop-Timestamp" } };
    const beginnings = constantFrom(
      "",
      "sha256=",
      "v0=",
      "v1,",
      "v1a,",
      "t=1763467200,v1=",
      "Bearer ",
      "v1=",
    );
    const endings = string({ unit: "binary", maxLength: 200 });
    const value = uint8Array({ minLength: 20, maxLength: 64 }).chain((bytes) =>
      beginnings.chain((beginning) =>
        constantFrom("hex", "base64").chain((encoding) =>
          endings.map((ending) =>
            ending.length % 3 === 0
              ? `${beginning}${ending}`
              : `${beginning}${Buffer.from(bytes).toString(encoding as BufferEncoding)}`,
          ),
        ),
      ),
    );
    const times = constantFrom(undefined, String(now.getTime() / 1000));
    assert(
      property(
        constantFrom(...schemeNames),
        dictionary(constantFrom(...names), value),
        times,
        uint8Array(),
        (name, headers, time, body) => {
          const timeHeaders =
            time === undefined
              ? {}
              : { "X-Slack-Request-Timestamp": time, "webhook-timestamp": time, "X-Shop-Timestamp": time };
          const verdict = schemes[name].verify({
            webhook: webhook({ ...headers, ...timeHeaders }, body),
            secrets: [
              "whsec_c2VjcmV0IG9mIG5vYm9keSBhdCBhbGw=",
              "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=",
            ],
            now,
            config,
          });
          expect(verdict.kind).toBe("refused");
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("secrets of any form are no exception either", () => {
    assert(
      property(
        constantFrom(...vendorNames),
        string({ unit: "binary" }),
        constantFrom("", "whsec_", "whpk_"),
        (vendor, text, prefix) => {
          const { headers, body } = signed(vendor);
          expect(verify(vendor, headers, body, { secrets: [prefix + text] })?.kind).toBe("refused");
        },
      ),
    );
  });
});

describe("what a secret must look like", () => {
  test.each([
    ["stripe", "whsec_abc", /^fine$/],
    ["stripe", "sk_live_abc", /whsec_/],
    ["standard-webhooks", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", /^fine$/],
    ["standard-webhooks", "any text of some length", /^fine$/],
    ["standard-webhooks", "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=", /^fine$/],
    ["standard-webhooks", "whsec_not base64", /base64/],
    ["standard-webhooks", "whsec_c2hvcnQ=", /shorter/],
    ["standard-webhooks", "whpk_c2hvcnQ=", /32 bytes/],
    ["standard-webhooks", "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc=", /private key/],
    ["workfront", "two words", /spaces/],
    ["workfront", "EauthTokenWorkfrontRocks1234_", /^fine$/],
  ] as const)("%s: %s", (scheme, secret, problem) => {
    expect(findScheme(scheme)?.secretProblem?.(secret) ?? "fine").toMatch(problem);
  });
});
