import { readFileSync } from "node:fs";
import { join } from "node:path";

import { verify as verifyGithub } from "@octokit/webhooks-methods";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import { makeWebhook, type SignedWebhook } from "../../../local/send/make-webhook.ts";
import type { HmacSettings } from "../../../local/send/vendor.ts";
import { isVendorName, type VendorName, vendorNames, vendors } from "../../../local/send/vendors.ts";
import { findSource, sources } from "../../../shared/sources/sources.ts";
import { findScheme } from "../../../shared/sources/schemes.ts";
import { readPayload } from "../../../shared/sources/read-payload.ts";
import type { Normalised, Verdict } from "../../../shared/sources/source.ts";
import { webhook as received } from "../../support/sign/webhook.ts";

interface GenericConnection {
  readonly schemeConfig: HmacSettings;
  readonly normaliserConfig: unknown;
}

const example = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/examples/generic-connection.json"), "utf8"),
) as GenericConnection;

interface Expectation {
  readonly source: string;
  readonly scheme: string;
  readonly prefix: string;
  readonly secret: string;
}

/** What each vendor is at the other end: the connection that takes its webhooks. */
const expected: Readonly<Record<VendorName, Expectation>> = {
  github: { source: "github", scheme: "github", prefix: "github", secret: "a secret" },
  gitlab: { source: "gitlab", scheme: "gitlab-token", prefix: "gitlab", secret: "a secret" },
  "gitlab-signed": {
    source: "gitlab",
    scheme: "standard-webhooks",
    prefix: "gitlab",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  },
  stripe: {
    source: "stripe",
    scheme: "stripe",
    prefix: "stripe",
    secret: "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH",
  },
  "terraform-cloud": {
    source: "terraform-cloud",
    scheme: "terraform-cloud",
    prefix: "tfc",
    secret: "a secret",
  },
  slack: { source: "slack", scheme: "slack", prefix: "slack", secret: "8f742231b10e8888abcd99yyyzzz85a5" },
  workfront: { source: "workfront", scheme: "workfront", prefix: "workfront", secret: "a-token" },
  "standard-webhooks": {
    source: "standard-webhooks",
    scheme: "standard-webhooks",
    prefix: "standard",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  },
  generic: { source: "generic", scheme: "generic-hmac", prefix: "shop", secret: "a secret" },
};

const sentAt = new Date("2026-11-18T10:00:00.500Z");
const deliveryId = "019a9601-7d1c-7c3e-8a52-3f6f1b2c4d5e";
/** Events that set a hook up: answered, and told to nobody. */
const handshakes = new Set(["verification", "url_verification"]);
const everySample = vendorNames.flatMap((name) =>
  Object.keys(vendors[name].samples).map((event) => [name, event] as const),
);

function make(
  name: VendorName,
  event: string,
  more: { id?: string; tamper?: boolean; body?: Buffer } = {},
): SignedWebhook {
  const vendor = vendors[name];
  const content = more.body ?? vendor.samples[event];
  if (content === undefined) throw new Error(`No sample ${event}`);
  return makeWebhook(vendor, {
    secret: expected[name].secret,
    deliveryId: more.id ?? deliveryId,
    sentAt,
    hmacSettings: example.schemeConfig,
    event,
    content,
    tamper: more.tamper ?? false,
  });
}

function verdictOn(name: VendorName, { headers, body }: SignedWebhook): Verdict | undefined {
  const { scheme, secret } = expected[name];
  const config = name === "generic" ? example.schemeConfig : undefined;
  return findScheme(scheme)?.verify({
    webhook: received(headers, body),
    secrets: [secret],
    now: sentAt,
    config,
  });
}

function understood(name: VendorName, { headers, body }: SignedWebhook): Normalised | undefined {
  const webhook = received(headers, body);
  const config = name === "generic" ? example.normaliserConfig : {};
  return findSource(expected[name].source)?.normalise(webhook, readPayload(webhook), config);
}

describe("the webhooks of npm run send", () => {
  test.each(everySample)("ING-02: %s %s is signed as its scheme wants it", (name, event) => {
    expect(verdictOn(name, make(name, event))).toEqual({ kind: "verified" });
  });

  test.each(everySample.filter(([, event]) => !handshakes.has(event)))(
    "ING-08: %s %s becomes the event of that name",
    (name, event) => {
      expect(understood(name, make(name, event))?.subject).toBe(`${expected[name].prefix}.events.${event}`);
    },
  );

  test.each(everySample.filter(([, event]) => handshakes.has(event)))(
    "ING-02: %s %s is answered as part of setting up the hook",
    (name, event) => {
      const { headers, body } = make(name, event);
      const webhook = received(headers, body);
      expect(findSource(expected[name].source)?.handshake?.(webhook, readPayload(webhook))?.status).toBe(200);
    },
  );

  test.each(vendorNames)(
    "ING-05: %s delivers the same again for the same id, and another event for another",
    (name) => {
      const [event = ""] = Object.keys(vendors[name].samples);
      const [first, again, other] = [deliveryId, deliveryId, "another"].map((id) =>
        make(name, event, { id }),
      );
      if (first === undefined || again === undefined || other === undefined) throw new Error("unreachable");
      expect(again).toEqual(first);
      expect(understood(name, first)?.deliveryId).toBeDefined();
      expect(understood(name, other)?.deliveryId).not.toBe(understood(name, first)?.deliveryId);
      expect(other.body.equals(first.body)).toBe(false);
    },
  );

  test.each(vendorNames.filter((name) => vendors[name].signsBody))(
    "%s is refused with one byte changed",
    (name) => {
      const [event = ""] = Object.keys(vendors[name].samples);
      const whole = make(name, event);
      const changed = make(name, event, { tamper: true });
      expect(changed.body).toHaveLength(whole.body.length);
      expect(changed.body.filter((byte, at) => byte !== whole.body[at])).toHaveLength(1);
      expect(verdictOn(name, changed)).toEqual({ kind: "refused", reason: "mismatch" });
    },
  );

  test("a body of one's own is signed byte for byte, and named by the event", async () => {
    const body = Buffer.from('{ "action": "created",\n  "x": "ü" }\n');
    const { headers, body: sent } = make("github", "deployment.created", { body });
    expect(sent).toEqual(body);
    expect(headers["X-GitHub-Event"]).toBe("deployment");
    const signature = headers["X-Hub-Signature-256"] ?? "";
    expect(await verifyGithub(expected.github.secret, body.toString(), signature)).toBe(true);
  });

  test("other libraries take the signatures too", async () => {
    const github = make("github", "push");
    const signature = github.headers["X-Hub-Signature-256"] ?? "";
    expect(await verifyGithub(expected.github.secret, github.body.toString(), signature)).toBe(true);
    const now = new Date();
    const standard = makeWebhook(vendors["standard-webhooks"], {
      secret: expected["standard-webhooks"].secret,
      deliveryId,
      sentAt: now,
      hmacSettings: example.schemeConfig,
      event: "contact.created",
      content: Buffer.from("{}"),
      tamper: false,
    });
    const library = new StandardWebhook(expected["standard-webhooks"].secret);
    expect(library.verify("{}", { ...standard.headers })).toEqual({});
  });

  test("there is a vendor for every source", () => {
    expect(new Set(vendorNames.map((name) => expected[name].source))).toEqual(new Set(Object.keys(sources)));
    expect(isVendorName("constructor")).toBe(false);
  });
});
