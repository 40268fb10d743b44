import { sign as octokitSign } from "@octokit/webhooks-methods";
import { assert, asyncProperty, property, string, uint8Array } from "fast-check";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import { schemes } from "../../../shared/sources/schemes.ts";
import { signGithub, signStandardWebhooks } from "../../support/sign/signers.ts";
import { webhook } from "../../support/sign/webhook.ts";

const verified = { kind: "verified" };

describe("ING-02: what vendors publish as an example", () => {
  test("GitHub's verifies", () => {
    const hex = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const verdict = schemes.github.verify({
      webhook: webhook({ "X-Hub-Signature-256": `sha256=${hex}` }, "Hello, World!"),
      secrets: ["It's a Secret to Everybody"],
      now: new Date(),
      config: undefined,
    });
    expect(verdict).toEqual(verified);
  });

  test("Slack's verifies", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V" +
      "&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=" +
      "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN" +
      "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "X-Slack-Request-Timestamp": "1531420618",
      "X-Slack-Signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    };
    const verdict = schemes.slack.verify({
      webhook: webhook(headers, body),
      secrets: ["8f742231b10e8888abcd99yyyzzz85a5"],
      now: new Date(1531420618_000),
      config: undefined,
    });
    expect(verdict).toEqual(verified);
  });

  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: "1614265330",
    body: '{"test": 2432232314}',
    now: new Date(1614265330_000),
  };

  test.each([
    [
      "with a secret (the specification's reference libraries)",
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ],
    [
      "with the same secret, without its prefix",
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ],
    [
      "with a key pair (Svix's server, and the headers in the specification)",
      "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= " +
        "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==",
      "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=",
    ],
  ])("Standard Webhooks' verifies, %s", (_, signature, secret) => {
    const headers = {
      "webhook-id": message.id,
      "webhook-timestamp": message.timestamp,
      "webhook-signature": signature,
    };
    const input = { secrets: [secret], now: message.now, config: undefined };
    const scheme = schemes["standard-webhooks"];
    expect(scheme.verify({ webhook: webhook(headers, message.body), ...input })).toEqual(verified);
    expect(scheme.verify({ webhook: webhook(headers, `${message.body} `), ...input })).toEqual({
      kind: "refused",
      reason: "mismatch",
    });
  });

  test("HMAC-SHA512 of RFC 4231, case 2, verifies as Terraform Cloud's header", () => {
    const hex =
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737";
    const verdict = schemes["terraform-cloud"].verify({
      webhook: webhook({ "X-TFE-Notification-Signature": hex }, "what do ya want for nothing?"),
      secrets: ["Jefe"],
      now: new Date(),
      config: undefined,
    });
    expect(verdict).toEqual(verified);
  });
});

describe("ING-02: what the vendors' own libraries sign", () => {
  test("verifies as GitHub's, whatever secret and body", async () => {
    await assert(
      asyncProperty(string({ minLength: 1 }), string({ minLength: 1 }), async (secret, body) => {
        const signature = await octokitSign(secret, body);
        expect(signGithub(secret, body)["X-Hub-Signature-256"]).toBe(signature);
        const verdict = schemes.github.verify({
          webhook: webhook({ "X-Hub-Signature-256": signature }, body),
          secrets: ["another one", secret],
          now: new Date(),
          config: undefined,
        });
        expect(verdict.kind).toBe(secret.trim() === "" ? "refused" : "verified");
      }),
      { numRuns: 50 },
    );
  });

  test("verifies as Standard Webhooks', whatever secret and body", () => {
    assert(
      property(uint8Array({ minLength: 24, maxLength: 64 }), string(), (key, body) => {
        const secret = `whsec_${Buffer.from(key).toString("base64")}`;
        const sentAt = new Date(1763460000_000);
        const signature = new StandardWebhook(secret).sign("msg_1", sentAt, body);
        const headers = signStandardWebhooks(secret, { id: "msg_1", body, sentAt });
        expect(headers["webhook-signature"]).toBe(signature);
        const input = { webhook: webhook(headers, body), secrets: [secret], now: sentAt, config: undefined };
        expect(schemes["standard-webhooks"].verify(input)).toEqual(verified);
      }),
      { numRuns: 50 },
    );
  });
});
