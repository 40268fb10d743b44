import { describe, expect, test } from "vitest";

import { readPayload } from "../../../shared/sources/read-payload.ts";
import { type Normalised, PayloadProblem } from "../../../shared/sources/source.ts";
import { findSource, sources } from "../../../shared/sources/sources.ts";
import { sampleWebhook, type VendorName, vendorNames, vendors } from "../../support/sign/sample-webhook.ts";
import { slackChallenge } from "../../support/sign/samples/slack.ts";
import { terraformVerification } from "../../support/sign/samples/terraform-cloud.ts";
import { webhook } from "../../support/sign/webhook.ts";

const delivery = "0b989ba4";

const samples = vendorNames.flatMap((vendor) =>
  vendors[vendor].samples(delivery).map((sample) => ({ vendor, subject: sample.subject, sample })),
);

function normalise(
  vendor: VendorName,
  headers: Readonly<Record<string, string>>,
  payload: unknown,
): Normalised {
  return sources[vendor].normalise(webhook(headers, ""), payload, vendors[vendor].normaliserConfig);
}

/** What stays when one field is taken away, deep copies included. */
function without(payload: unknown, path: string): unknown {
  const copy = structuredClone(payload) as Record<string, unknown>;
  const names = path.split(/[.[\]]+/);
  const last = names.pop() ?? "";
  const parent = names.reduce((value, name) => value[name] as Record<string, unknown>, copy);
  delete parent[last];
  return copy;
}

function problemOf(action: () => unknown): { field: string; message: string } | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (!(error instanceof PayloadProblem)) throw error;
    return { field: error.field, message: error.message };
  }
}

describe("ING-08: a vendor's webhook becomes an event", () => {
  test.each(samples)("$vendor: $subject", ({ vendor, subject, sample }) => {
    const { headers, body } = sampleWebhook(vendor, { subject, delivery });
    const data = readPayload(webhook(headers, body));
    const { eventTime, ...found } = normalise(vendor, headers, data);
    const { objectType, objectId, eventType, deliveryId } = sample;
    const expectedId = vendor === "standard-webhooks" ? `msg_${delivery}` : deliveryId;
    expect(found).toEqual({
      subject,
      objectType,
      objectId,
      eventType,
      ...(expectedId === undefined ? {} : { deliveryId: expectedId }),
    });
    expect(eventTime?.toISOString()).toBe(sample.eventTime);
  });

  test.each(vendorNames)(
    "a redelivery of %s has the delivery id of the first, another webhook another",
    (vendor) => {
      const idOf = (id: string): string | undefined => {
        const { headers, body } = sampleWebhook(vendor, { delivery: id });
        return normalise(vendor, headers, readPayload(webhook(headers, body))).deliveryId;
      };
      expect(idOf("a")).toBeDefined();
      expect(idOf("a")).toBe(idOf("a"));
      expect(idOf("a")).not.toBe(idOf("b"));
    },
  );

  test("GitHub's without a delivery id has none: the bytes decide then", () => {
    const { headers, payload } = vendors.github.samples(delivery)[0];
    const { "X-GitHub-Delivery": _, ...rest } = headers;
    expect(normalise("github", rest, payload)).not.toHaveProperty("deliveryId");
  });

  test("an event of GitHub that nobody has listed is still about something", () => {
    const repository = { full_name: "octo-org/hello-world" };
    const of = (event: string, payload: object): Partial<Normalised> => {
      const { subject, objectId } = normalise("github", { "X-GitHub-Event": event }, payload);
      return { subject, objectId };
    };
    expect(of("sub_issues", { action: "sub_issue_added", repository })).toEqual({
      subject: "github.events.sub_issues.sub_issue_added",
      objectId: "octo-org/hello-world",
    });
    expect(
      of("projects_v2", { action: "created", projects_v2: { id: 9 }, organization: { login: "acme" } }),
    ).toEqual({
      subject: "github.events.projects_v2.created",
      objectId: "acme/projects_v2/9",
    });
    expect(of("constructor", { repository })).toEqual({
      subject: "github.events.constructor",
      objectId: "octo-org/hello-world",
    });
  });

  test("GitLab's id is the idempotency key or the id of the signature, never the one that hooks share", () => {
    const { payload } = vendors.gitlab.samples(delivery)[0];
    const shared = { "X-Gitlab-Event-UUID": "u" };
    expect(normalise("gitlab", shared, payload)).not.toHaveProperty("deliveryId");
    expect(normalise("gitlab", { ...shared, "webhook-id": "w" }, payload).deliveryId).toBe("w");
    expect(normalise("gitlab", { "webhook-id": "w", "Idempotency-Key": "k" }, payload).deliveryId).toBe("k");
  });

  test("GitLab's test button, which says no action, sends an update", () => {
    const { payload } = vendors.gitlab.samples(delivery)[0];
    const found = normalise("gitlab", {}, without(payload, "object_attributes.action"));
    expect(found.subject).toBe("gitlab.events.issue.updated");
  });

  test("GitLab's group events, which have no object kind, go by their name", () => {
    const payload = {
      event_name: "user_add_to_group",
      group_id: 100,
      user_id: 64,
      created_at: "2025-11-18T10:00:00Z",
    };
    expect(normalise("gitlab", {}, payload)).toMatchObject({
      subject: "gitlab.events.user_add_to_group",
      objectId: "100/user_add_to_group/64",
    });
  });

  test("Stripe's thin events are about the object they point at", () => {
    const payload = {
      id: "evt_test_65",
      object: "v2.core.event",
      type: "v1.billing.meter.error_report_triggered",
      created: "2025-11-18T10:00:00.000Z",
      related_object: { id: "mtr_1", type: "billing.meter", url: "/v1/billing/meters/mtr_1" },
    };
    expect(normalise("stripe", {}, payload)).toEqual({
      subject: "stripe.events.v1.billing.meter.error_report_triggered",
      objectType: "billing.meter",
      objectId: "mtr_1",
      eventType: "error_report_triggered",
      eventTime: new Date("2025-11-18T10:00:00Z"),
      deliveryId: "evt_test_65",
    });
  });

  test("Terraform Cloud's change requests and triggers to come are taken", () => {
    const request = {
      payload_version: 1,
      notification_configuration_id: "nc-1",
      change_request_url: "https://app.terraform.io/app/acme/workspaces/w/change-requests/wscr-1",
      change_request_created_at: "2025-11-18T10:00:00Z",
    };
    expect(normalise("terraform-cloud", {}, request)).toMatchObject({
      subject: "tfc.events.change_request.created",
      deliveryId: `nc-1|change_request:created|${request.change_request_url}`,
    });
    const newer = {
      notification_configuration_id: "nc-1",
      trigger: "stack:planned",
      details: { workspace_id: "ws-1" },
    };
    expect(normalise("terraform-cloud", {}, newer)).toMatchObject({
      subject: "tfc.events.stack.planned",
      objectId: "ws-1",
    });
  });

  test("Workfront's copies of a change in both versions of its format are one", () => {
    const { payload } = vendors.workfront.samples(delivery)[0];
    const first = normalise("workfront", {}, payload);
    const second = normalise("workfront", {}, { ...payload, eventVersion: "v1" });
    expect(second.deliveryId).toBe(first.deliveryId);
    expect(first.eventTime?.toISOString()).toBe("2025-11-18T10:00:00.998Z");
  });

  test("Workfront's objects without a word of their own keep their code", () => {
    const { payload } = vendors.workfront.samples(delivery)[0];
    const state = { ID: "1", objCode: "RECORD_TYPE" };
    const found = normalise("workfront", {}, { ...payload, newState: state });
    expect(found.subject).toBe("workfront.events.record_type.updated");
  });

  test("a generic sender's event type says the object too, where nothing else does", () => {
    const config = { name: "crm", eventType: { path: "event" }, objectId: { path: "data.key" } };
    const data = { event: "Deal.Stage Changed", data: { key: "d-1" } };
    expect(sources.generic.normalise(webhook({}, ""), data, config)).toEqual({
      subject: "crm.events.deal.stage_changed",
      objectType: "deal",
      objectId: "d-1",
      eventType: "stage_changed",
    });
  });
});

describe("ING-13: a payload that lacks what it must have", () => {
  test.each<[VendorName, string]>([
    ["github", "pull_request.number"],
    ["github", "repository.full_name"],
    ["gitlab", "object_kind"],
    ["gitlab", "object_attributes.iid"],
    ["stripe", "id"],
    ["stripe", "type"],
    ["stripe", "data.object.object"],
    ["terraform-cloud", "run_id"],
    ["terraform-cloud", "notifications[0].trigger"],
    ["slack", "type"],
    ["slack", "event_id"],
    ["slack", "event.type"],
    ["workfront", "eventType"],
    ["workfront", "newState.ID"],
    ["workfront", "newState.objCode"],
    ["standard-webhooks", "type"],
    ["generic", "order.id"],
  ])("of %s is told that '%s' is missing", (vendor, path) => {
    const { headers, payload } = vendors[vendor].samples(delivery)[0];
    const field = vendor === "gitlab" && path === "object_kind" ? "event_name" : path;
    const all = { ...headers, "webhook-id": "msg_1" };
    const problem = problemOf(() => normalise(vendor, all, without(payload, path)));
    expect(problem?.field).toBe(field);
    expect(problem?.message).toContain(field);
  });

  test.each<[VendorName, string]>([
    ["github", "X-GitHub-Event"],
    ["standard-webhooks", "webhook-id"],
    ["generic", "X-Shop-Event"],
  ])("of %s is told that the header %s is missing", (vendor, header) => {
    const { headers, payload } = vendors[vendor].samples(delivery)[0];
    const { [header]: _, ...rest } = headers;
    expect(problemOf(() => normalise(vendor, rest, payload))?.field).toBe(header);
  });

  test.each(vendorNames)("of %s may be anything at all without another exception", (vendor) => {
    const headers = { "X-GitHub-Event": "pull_request", "webhook-id": "m", "X-Shop-Event": "e" };
    for (const payload of [
      null,
      [],
      "text",
      7,
      true,
      {},
      { type: {} },
      { type: "..." },
      { notifications: {} },
    ]) {
      expect(
        problemOf(() => normalise(vendor, headers, payload)),
        JSON.stringify(payload),
      ).toBeDefined();
    }
  });

  test("an id too large for a number is not taken for another", () => {
    const { payload } = vendors.generic.samples(delivery)[0];
    const data = { ...payload, order: JSON.parse('{"id":12345678901234567890}') as unknown };
    expect(problemOf(() => normalise("generic", { "X-Shop-Event": "e" }, data))?.field).toBe("order.id");
  });
});

describe("subjects", () => {
  const subjectFor = (type: string): string =>
    normalise("standard-webhooks", { "webhook-id": "m" }, { type }).subject;

  test("cannot be made to hold a wildcard, a space or a path by a payload", () => {
    expect(subjectFor("A.*.#")).toBe("crm.events.a._._");
    expect(subjectFor("a b/../c:d\n")).toBe("crm.events.a_b_._c.d");
    expect(subjectFor("ÜBER.straße")).toBe("crm.events._ber.stra_e");
    expect(problemOf(() => subjectFor("..."))).toMatchObject({ field: "type" });
  });

  test("are bounded", () => {
    const long = subjectFor(Array.from({ length: 100 }, () => "segment".repeat(20)).join("."));
    expect(long).toMatch(/^crm\.events(\.[a-z0-9_-]{1,64})+$/);
    expect(long.length).toBeLessThanOrEqual(200);
  });

  test("object ids are bounded too, and long ones that differ stay different", () => {
    const idFor = (ref: string): string =>
      normalise(
        "github",
        { "X-GitHub-Event": "push" },
        { ref, repository: { full_name: "octo-org/hello-world" } },
      ).objectId;
    const [one, other] = [idFor(`refs/heads/${"x".repeat(5000)}`), idFor(`refs/heads/${"x".repeat(5000)}y`)];
    expect(one.length).toBeLessThan(600);
    expect(one).not.toBe(other);
  });
});

describe("handshakes", () => {
  test("Terraform Cloud's verification is answered with 200", () => {
    const found = findSource("terraform-cloud")?.handshake?.(webhook({}, ""), terraformVerification);
    expect(found?.status).toBe(200);
  });

  test("Slack's challenge comes back as it was", () => {
    const found = findSource("slack")?.handshake?.(webhook({}, ""), slackChallenge);
    expect(found).toEqual({
      status: 200,
      headers: { "content-type": "text/plain" },
      body: slackChallenge.challenge,
    });
  });

  test.each(samples)("$vendor: $subject is none", ({ vendor, sample }) => {
    expect(findSource(vendor)?.handshake?.(webhook(sample.headers, ""), sample.payload)).toBeUndefined();
  });
});
