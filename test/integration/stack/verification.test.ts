import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import {
  type Hook,
  type HookAnswer,
  type HookBench,
  loseSecrets,
  type Sent,
  startHookBench,
} from "../../support/hook-bench.ts";
import { slackChallenge } from "../../support/sign/samples/slack.ts";
import { terraformVerification } from "../../support/sign/samples/terraform-cloud.ts";
import {
  signedWebhook,
  type SigningCase,
  signingCase,
  signingCases,
} from "../../support/sign/signing-cases.ts";
import { until } from "../../support/until.ts";

let bench: HookBench;
beforeAll(async () => {
  bench = await startHookBench();
});
afterAll(() => bench?.stop());

const tenMinutes = 600_000;
const fromNow = (ms: number): Date => new Date(Date.now() + ms);
const signsTime = ({ redated }: SigningCase): boolean => redated !== undefined;

interface Refused {
  readonly name: string;
  readonly reasons: readonly string[];
  readonly appliesTo?: (how: SigningCase) => boolean;
  readonly spoil: (hook: Hook) => Sent;
}

/** What must not get in. */
const refusals: readonly Refused[] = [
  {
    name: "signed with another's secret",
    reasons: ["mismatch"],
    spoil: ({ how }) => signedWebhook(how, how.newSigner()),
  },
  {
    name: "without a signature",
    reasons: ["missing"],
    spoil: (hook) => withSignature(hook, () => undefined),
  },
  { name: "with an empty signature", reasons: ["missing"], spoil: (hook) => withSignature(hook, () => "") },
  {
    name: "with a signature cut short",
    reasons: ["malformed", "mismatch"],
    spoil: (hook) => withSignature(hook, (signature) => signature.slice(0, -4)),
  },
  {
    name: "with a signature that is one character off",
    reasons: ["mismatch"],
    spoil: (hook) => withSignature(hook, (signature) => oneOff(signature)),
  },
  {
    name: "with one byte of its body changed",
    reasons: ["mismatch"],
    appliesTo: ({ signsBody }) => signsBody,
    spoil: (hook) => {
      const { headers, body } = hook.sample();
      const changed = Buffer.from(body);
      changed[body.length >> 1] = (body[body.length >> 1] ?? 0) ^ 1;
      return { headers, body: changed };
    },
  },
  {
    name: "signed ten minutes ago",
    reasons: ["stale"],
    appliesTo: signsTime,
    spoil: (hook) => hook.sample({ sentAt: fromNow(-tenMinutes) }),
  },
  {
    name: "signed in ten minutes' time",
    reasons: ["stale"],
    appliesTo: signsTime,
    spoil: (hook) => hook.sample({ sentAt: fromNow(tenMinutes) }),
  },
  {
    name: "signed ten minutes ago that says it was signed now",
    reasons: ["mismatch"],
    appliesTo: signsTime,
    spoil: (hook) => {
      const { headers, body } = hook.sample({ sentAt: fromNow(-tenMinutes) });
      return { headers: hook.how.redated?.(headers, new Date()) ?? headers, body };
    },
  },
];

describe.each(signingCases)("ING-02: of $name", (how) => {
  let hook: Hook;
  beforeAll(async () => {
    hook = await bench.connectSource(how);
  });

  const applying = refusals.filter(({ appliesTo = () => true }) => appliesTo(how));

  test.each(applying)("a webhook $name is refused and not stored", async ({ spoil, reasons }) => {
    const before = refusedOf(hook).length;
    const answer = await hook.send(spoil(hook));
    expect(answer.status, answer.text).toBe(401);
    expect(answer.body).toMatchObject({ code: "signature-invalid", status: 401 });
    const logged = refusedOf(hook);
    expect(logged).toHaveLength(before + 1);
    expect(reasons).toContain(logged.at(-1)?.["errorCode"]);
    expect(await bench.storedBy(hook.connectionId)).toBe(0);
  });

  test("what was refused is in the audit", async () => {
    await hook.send(withSignature(hook, () => undefined));
    const entry = await refusalInAudit(hook);
    expect(entry).toMatchObject({ actor: "anonymous", role: "none", phase: "done" });
    expect(Object.values(entry.details)).toEqual([1]);
  });

  test("a genuine webhook is accepted after all that", async () => {
    const answer = await hook.deliver();
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body.duplicate).toBe(false);
  });
});

describe("ING-02: the secrets of a connection", () => {
  test.each(signingCases)("of $name, once they are all gone, let nothing through", async (how) => {
    const hook = await bench.connectSource(how);
    await loseSecrets(bench.stack, hook.connectionId);
    const answers = [await hook.deliver(), await hook.send(withSignature(hook, () => undefined))];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(refusedOf(hook).map((line) => line["errorCode"])).toEqual(["no-secret", "no-secret"]);
    expect(await bench.storedBy(hook.connectionId)).toBe(0);
  });
});

describe("ING-02: a source that sets up its hook", () => {
  test("Terraform Cloud: the verification call is answered with 200 and makes no event", async () => {
    const hook = await bench.connectSource(signingCase("terraform-cloud"));
    const answer = await hook.send(hook.signed(JSON.stringify(terraformVerification)));
    expect(answer.status, answer.text).toBe(200);
    expect(await bench.storedBy(hook.connectionId)).toBe(0);
  });

  test("Slack: the challenge comes back as it was, and makes no event", async () => {
    const hook = await bench.connectSource(signingCase("slack"));
    const answer = await hook.send(hook.signed(JSON.stringify(slackChallenge)));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(slackChallenge.challenge);
    expect(answer.headers.get("content-type")).toContain("text/plain");
    expect(await bench.storedBy(hook.connectionId)).toBe(0);
  });

  test.each([
    ["Terraform Cloud", "terraform-cloud", terraformVerification],
    ["Slack", "slack", slackChallenge],
  ])("%s: nobody is answered without the signature", async (_, name, payload) => {
    const hook = await bench.connectSource(signingCase(name));
    const { headers, body } = hook.signed(JSON.stringify(payload));
    const answer = await hook.send({ headers: without(headers, hook.how.header), body });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain(slackChallenge.challenge);
  });
});

describe("a hook", () => {
  test.each([
    ["never was", "0".repeat(32)],
    ["is none", "not-a-hook"],
    ["is too long", "a".repeat(500)],
    ["is written in capitals", "ABCDEF0123456789ABCDEF0123456789"],
    ["holds what should not be in a key", encodeURIComponent("' or '1' eq '1")],
    ["holds a slash", encodeURIComponent("../../v1/me")],
  ])("whose id %s answers 404", async (_, id) => {
    const answer = await bench.api.request("POST", `/api/hooks/${id}`, { body: "{}" });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: "hook-unknown" });
  });

  test.each(["GET", "PUT", "DELETE", "HEAD", "OPTIONS"])("is not there for %s", async (method) => {
    const { connectionId } = await bench.connectSource(signingCase("github"));
    const response = await fetch(`${bench.url}/hooks/${connectionId}`, { method });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe("");
  });
});

/** Hosts hear of a change within five seconds: those who wait for it do so together. */
describe.concurrent("ING-02: a change to a connection that webhooks arrive at", () => {
  test("two secrets count while one is replaced, then the new one alone, whatever the source", async () => {
    const hooks = await Promise.all(
      signingCases.map(async (how) => {
        const hook = await bench.connectSource(how);
        const next = how.newSigner();
        const [old = ""] = await addSecret(hook, next.secret);
        const known = hook.sample();
        expect((await hook.send(known)).status, how.name).toBe(202);
        expect((await hook.send(signedWebhook(how, next))).status, how.name).toBe(202);
        await change("DELETE", hook, `/secrets/${old}`);
        return { hook, known, next };
      }),
    );
    for (const { hook, known, next } of hooks) {
      await answersWith(401, () => hook.send(known));
      expect((await hook.send(signedWebhook(hook.how, next))).status, hook.how.name).toBe(202);
    }
  });

  test("a secret that is added is taken from then on, beside the first", async () => {
    const how = signingCase("github");
    const hook = await bench.connectSource(how);
    const next = how.newSigner();
    expect((await hook.send(signedWebhook(how, next))).status).toBe(401);
    await addSecret(hook, next.secret);
    await answersWith(202, () => hook.send(signedWebhook(how, next)));
    expect((await hook.deliver()).status).toBe(202);
  });

  test.each([
    { name: "disabled", method: "PATCH", body: { enabled: false }, status: 403, code: "connection-disabled" },
    { name: "deleted", method: "DELETE", body: undefined, status: 404, code: "hook-unknown" },
  ])("one that is $name takes nothing any more", async ({ method, body, status, code }) => {
    const hook = await bench.connectSource(signingCase("github"));
    const known = hook.sample();
    expect((await hook.send(known)).status).toBe(202);
    await change(method, hook, "", body);
    expect((await answersWith(status, () => hook.send(known))).body.code).toBe(code);
  });
});

test("SEC-03: none of it left a secret in a table, a blob, a log line or an answer", async () => {
  expect(await bench.leaks()).toEqual([]);
});

function without(headers: Sent["headers"], name: string): Sent["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

function withSignature(hook: Hook, alter: (signature: string) => string | undefined): Sent {
  const { headers, body } = hook.sample({ delivery: randomUUID() });
  const changed = alter(headers[hook.how.header] ?? "");
  const others = without(headers, hook.how.header);
  return { headers: changed === undefined ? others : { ...others, [hook.how.header]: changed }, body };
}

/** Another letter near the end, where every scheme has its digest and none its padding. */
function oneOff(signature: string): string {
  const at = signature.length - 10;
  return `${signature.slice(0, at)}${signature[at] === "a" ? "b" : "a"}${signature.slice(at + 1)}`;
}

function refusedOf({ connectionId }: Hook): readonly Readonly<Record<string, unknown>>[] {
  return bench.logged("webhook.refused").filter((line) => line["objectId"] === connectionId);
}

/** The first of a minute is written down at once, the others of it together. */
async function refusalInAudit({ connectionId }: Hook): Promise<{ readonly details: object }> {
  return until(`the refusal of ${connectionId} in the audit`, async () => {
    const { body } = await bench.api.request("GET", "/api/v1/audit?limit=200");
    const { items } = body as { items: { action: string; target: string; details: object }[] };
    return items.find(
      ({ action, target }) => action === "webhook.refused" && target === `connections/${connectionId}`,
    );
  });
}

/** Answers with the versions there are then, the oldest first. */
async function addSecret({ connectionId }: Hook, secret: string): Promise<readonly string[]> {
  const path = `/api/v1/connections/${connectionId}/secrets`;
  const { body } = await bench.api.request("POST", path, { body: { secret } });
  return (body as { secretVersions: string[] }).secretVersions;
}

async function change(method: string, { connectionId }: Hook, below: string, body?: object): Promise<void> {
  const path = `/api/v1/connections/${connectionId}${below}`;
  const { status, text } = await bench.api.request(method, path, body === undefined ? {} : { body });
  expect(status, text).toBeLessThan(300);
}

function answersWith(status: number, send: () => Promise<HookAnswer>): Promise<HookAnswer> {
  return until(`the hook to answer ${status}`, async () => {
    const answer = await send();
    return answer.status === status ? answer : undefined;
  });
}
