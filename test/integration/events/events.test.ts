import { createHash, randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { issueKey } from "../../support/issue-key.ts";
import {
  type GithubHook,
  pullRequest,
  pullRequestRoute,
  type Scenario,
  startScenario,
} from "../../support/scenario.ts";
import { until } from "../../support/until.ts";

let scenario: Scenario;
let api: ApiClient;
let hook: GithubHook;

beforeAll(async () => {
  scenario = await startScenario();
  ({ api } = scenario);
  hook = await scenario.connect();
  await put([
    { ...pullRequestRoute, operation: { ...pullRequestRoute.operation, sideEffectRefPath: "id" } },
    { ...pullRequestRoute, routeName: "off", intendedAction: "off", enabled: false },
    {
      ...pullRequestRoute,
      routeName: "fails",
      intendedAction: "fail",
      subject: "github.events.pull_request.closed",
      operation: { kind: "generic-http", path: "/fails", body: { n: "{{data.number}}" } },
    },
  ]);
});

afterAll(() => scenario?.stop());

async function put(routes: readonly object[], more: object = {}): Promise<void> {
  const body = { routes, endpoints: { sink: { url: scenario.sink.url } }, ...more };
  const answer = await api.request("PUT", "/api/v1/config/routes", { body });
  expect(answer.status, answer.text).toBe(200);
}

async function accepted(response: Promise<Response>): Promise<string> {
  return ((await (await response).json()) as { correlationId: string }).correlationId;
}

interface Detail {
  readonly status: string;
  readonly data?: unknown;
  readonly dataOmitted?: string;
  readonly envelope: Readonly<Record<string, string>>;
  readonly webhook: { readonly headers: Readonly<Record<string, string>>; readonly size: number };
  readonly routes: readonly {
    readonly routeName: string;
    readonly state: string;
    readonly reason?: string;
    readonly ledger?: { readonly state: string; readonly sideEffectRef?: string; readonly key: string };
    readonly failure?: { readonly code: string; readonly state: string };
  }[];
  readonly timeline: readonly { readonly kind: string; readonly routeName?: string }[];
}

async function read(eventId: string, client = api): Promise<Detail> {
  const answer = await client.request("GET", `/api/v1/events/${eventId}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Detail;
}

/** As it is once the route has come to this state. */
async function inState(eventId: string, routeName: string, state: string): Promise<Detail> {
  return until(`${routeName} to be ${state}`, async () => {
    const detail = await read(eventId);
    return detail.routes.some((one) => one.routeName === routeName && one.state === state)
      ? detail
      : undefined;
  });
}

interface Listed {
  readonly items: readonly {
    readonly eventId: string;
    readonly subject: string;
    readonly routes: string[];
  }[];
  readonly nextCursor?: string;
}

async function list(query: string): Promise<Listed> {
  const answer = await api.request("GET", `/api/v1/events${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Listed;
}

async function listed(eventId: string): Promise<void> {
  await until("the event to be listed", async () =>
    (await list("")).items.some((one) => one.eventId === eventId) ? true : undefined,
  );
}

describe("an event", () => {
  test("ING-06: is found by its id, with what came in, what each route made of it, and its timeline", async () => {
    const eventId = await accepted(hook.deliver({ payload: pullRequest(1) }));
    const detail = await inState(eventId, "pr-to-sink", "DONE");
    expect(detail).toMatchObject({
      status: "ROUTED",
      envelope: { id: eventId, type: "github.events.pull_request.opened", objectid: "acme/shop#1" },
      data: { number: 1 },
    });
    expect(detail.webhook.headers["x-github-event"]).toBe("pull_request");
    expect(Object.keys(detail.webhook.headers)).not.toContain("x-hub-signature-256");
    const [done, off] = ["pr-to-sink", "off"].map((name) =>
      detail.routes.find(({ routeName }) => routeName === name),
    );
    expect(done?.ledger).toMatchObject({ state: "done", sideEffectRef: "effect-1" });
    expect(off).toMatchObject({ state: "SKIPPED", reason: "DISABLED" });
    const kinds = detail.timeline.map(({ kind }) => kind);
    expect([kinds[0], kinds.slice(1, 3).toSorted(), kinds[3]]).toEqual([
      "received",
      ["routed", "skipped"],
      "executed",
    ]);
  });

  test("whose attempt failed for good is shown with its failure", async () => {
    scenario.sink.reply("/fails", { status: 404, effect: false });
    const payload = { ...pullRequest(2), action: "closed" };
    const eventId = await accepted(hook.deliver({ payload }));
    const failed = await until("the failure", async () => {
      const { routes } = await read(eventId);
      return routes.find(({ failure }) => failure !== undefined);
    });
    expect(["DEAD_LETTERED", "QUARANTINED"]).toContain(failed.state);
    expect(failed).toMatchObject({ failure: { code: "HTTP_404" }, ledger: { state: "parked" } });
  });

  test("is shown to viewers without its payload, and to operators with a note in the audit", async () => {
    const eventId = await accepted(hook.deliver({ payload: pullRequest(3) }));
    const viewer = createApiClient(
      scenario.stack.host.url,
      await issueKey(scenario.stack.platform, { tenantId: "demo", role: "viewer" }),
    );
    const seen = await read(eventId, viewer);
    expect(seen).toMatchObject({ dataOmitted: "role" });
    expect(seen).not.toHaveProperty("data");
    expect((await viewer.request("GET", `/api/v1/events/${eventId}/raw`)).status).toBe(403);
    await read(eventId);
    const polled = await api.request("GET", `/api/v1/events/${eventId}?data=false`);
    expect(polled.body).toMatchObject({ dataOmitted: "not-asked" });
    const { items } = (await api.request("GET", "/api/v1/audit")).body as {
      items: { action: string; target: string; details: object }[];
    };
    const reads = items.filter(({ target }) => target === `events/${eventId}`);
    expect(reads).toMatchObject([{ action: "event.read-payload", details: { by: "read-event" } }]);
  });

  test("ING-07: can be downloaded as the exact bytes that came in, as a file and nothing else", async () => {
    const body = Buffer.from(
      '{ "action":"opened",  "number": 4,\n"pull_request":{"number":4,"title":"\\u00e9é"},"repository":{"full_name":"acme/shop"} }\n',
    );
    const eventId = await accepted(hook.deliver({ body }));
    const response = await fetch(`${scenario.url}/v1/events/${eventId}/raw`, {
      headers: { "x-api-key": scenario.stack.apiKey },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${eventId}.json"`);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(body)).toBe(true);
    expect((await read(eventId)).envelope["payloadhash"]).toBe(
      createHash("sha256").update(body).digest("hex"),
    );
    const raw = await api.request("GET", `/api/v1/events/${eventId}/raw`);
    expect(raw.status).toBe(200);
  });

  test("ING-07: too large for a row is kept in a blob, and shown and downloaded all the same", async () => {
    const large = { ...pullRequest(5), filler: "x".repeat(300_000) };
    const eventId = await accepted(hook.deliver({ payload: large }));
    const detail = await inState(eventId, "pr-to-sink", "DONE");
    expect(detail.webhook.size).toBeGreaterThan(300_000);
    expect(detail).toMatchObject({ data: { number: 5 } });
    const raw = await api.request("GET", `/api/v1/events/${eventId}/raw`);
    expect(JSON.parse(raw.text)).toEqual(large);
  });

  test("ING-13: that cannot be used is shown with the reason, and its bytes are there", async () => {
    const body = Buffer.from('{"action": "opened"');
    const response = await hook.deliver({ body });
    expect(response.status).toBe(422);
    const { correlationId } = (await response.json()) as { correlationId: string };
    const detail = await read(correlationId);
    expect(detail).toMatchObject({ status: "QUARANTINED", dataOmitted: "unreadable" });
    expect(detail.timeline.map(({ kind }) => kind)).toEqual(["received", "quarantined"]);
    const raw = await fetch(`${scenario.url}/v1/events/${correlationId}/raw`, {
      headers: { "x-api-key": scenario.stack.apiKey },
    });
    expect(await raw.text()).toBe(body.toString());
  });

  test("ING-09: that a dispatcher made is found by its own id, with the webhook it began with", async () => {
    const generic = await scenario.connect({ pattern: "generic" });
    const correlationId = await accepted(generic.deliver({ payload: pullRequest(6) }));
    const made = await until("the specific event", async () => {
      const { items } = await list(`?connectionId=${generic.connectionId}`);
      return items.find(({ subject }) => subject === "github.events.pull_request.opened");
    });
    expect(made.eventId).not.toBe(correlationId);
    const detail = await inState(made.eventId, "pr-to-sink", "DONE");
    expect(detail).toMatchObject({
      envelope: { id: made.eventId, correlationid: correlationId, causationid: correlationId },
      data: { number: 6 },
    });
    expect(detail.timeline.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["received", "dispatched", "routed", "executed"]),
    );
    const raw = await api.request("GET", `/api/v1/events/${made.eventId}/raw`);
    expect(JSON.parse(raw.text)).toEqual(pullRequest(6));
    const told = await api.request("GET", `/api/v1/correlations/${correlationId}`);
    expect((told.body as Detail).timeline[0]).toMatchObject({ kind: "received" });
  });

  test("SEC-01: of another tenant is as if it were not there", async () => {
    const eventId = await accepted(hook.deliver({ payload: pullRequest(7) }));
    await listed(eventId);
    const key = await issueKey(scenario.stack.platform, { tenantId: "stranger" });
    const stranger = createApiClient(scenario.stack.host.url, key);
    for (const path of [`events/${eventId}`, `events/${eventId}/raw`, `correlations/${eventId}`]) {
      const theirs = await stranger.request("GET", `/api/v1/${path}`);
      const nobodys = await stranger.request("GET", `/api/v1/${path.replace(eventId, "0".repeat(32))}`);
      expect(theirs.status).toBe(404);
      expect({ ...(theirs.body as object), correlationId: "" }).toEqual({
        ...(nobodys.body as object),
        correlationId: "",
      });
    }
    expect((await stranger.request("GET", "/api/v1/events")).body).toEqual({ items: [] });
    const explained = await stranger.request("POST", "/api/v1/config/routes/explain", {
      body: { eventId, config: { routes: [] } },
    });
    expect(explained.status).toBe(404);
  });
});

describe("the list of events", () => {
  test("is newest first, in pages that neither repeat nor leave out any", async () => {
    const own = await scenario.connect();
    const ids: string[] = [];
    for (let number = 20; number < 27; number++) {
      ids.push(await accepted(own.deliver({ payload: pullRequest(number) })));
    }
    for (const id of ids) await listed(id);
    const seen: string[] = [];
    for (let cursor: string | undefined, page = 0; page < 20; page++) {
      const from = cursor === undefined ? "" : `&cursor=${cursor}`;
      const { items, nextCursor } = await list(`?connectionId=${own.connectionId}&limit=2${from}`);
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ eventId }) => eventId));
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  test("is narrowed by source, subject, object, status, route and time", async () => {
    const own = await scenario.connect();
    const id = await accepted(own.deliver({ payload: pullRequest(30) }));
    const other = await accepted(
      own.deliver({ event: "star", payload: { ...pullRequest(31), action: "created" } }),
    );
    await listed(id);
    await listed(other);
    const count = async (query: string): Promise<number> =>
      (await list(`?connectionId=${own.connectionId}&${query}`)).items.length;
    const past = encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString());
    const cases: readonly [string, number][] = [
      ["sourceSystem=github", 2],
      ["sourceSystem=gitlab", 0],
      ["subject=github.events.pull_request.*", 1],
      [`subject=${encodeURIComponent("github.#")}`, 2],
      ["objectType=pull_request", 1],
      [`objectId=${encodeURIComponent("acme/shop#30")}`, 1],
      ["status=UNMATCHED", 1],
      ["routeName=pr-to-sink", 1],
      ["routeName=off", 0],
      [`from=${past}`, 2],
      [`to=${past}`, 0],
    ];
    for (const [query, expected] of cases) expect(await count(query), query).toBe(expected);
  });

  test.each([
    ["a cursor that is none", "?cursor=nonsense"],
    [
      "a cursor that would reach into the filter",
      `?cursor=${Buffer.from(JSON.stringify(["0' or true"])).toString("base64url")}`,
    ],
    ["a cursor of another list", `?cursor=${Buffer.from(JSON.stringify(["12"])).toString("base64url")}`],
    ["a time that is none", "?from=yesterday"],
    ["a range that ends before it begins", "?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z"],
    ["a range that is too long", "?from=2026-09-01T00:00:00Z&to=2026-11-01T00:00:00Z"],
    ["a subject with a quote", "?subject=a'b"],
    ["an unknown status", "?status=LOST"],
    ["an unknown parameter", "?colour=red"],
  ])("refuses %s", async (_, query) => {
    const answer = await api.request("GET", `/api/v1/events${query}`);
    expect(answer.body).toMatchObject({ code: "request-invalid" });
  });

  test("a quote in a value is compared and nothing else", async () => {
    expect((await list(`?objectId=${encodeURIComponent("' or 1 eq 1")}`)).items).toEqual([]);
  });
});

describe("the catalog", () => {
  test("ING-10: shows known subjects with their schema, and observed ones with what was seen", async () => {
    const id = await accepted(hook.deliver({ id: randomUUID(), payload: pullRequest(40) }));
    await inState(id, "pr-to-sink", "DONE");
    const subject = "github.events.pull_request.opened";
    const seen = await until("the subject to be noted", async () => {
      const { body } = await api.request("GET", "/api/v1/catalog/subjects?observed=true&source=github");
      const { items } = body as { items: { subject: string; known: boolean; schema: object }[] };
      return items.find((one) => one.subject === subject);
    });
    expect(seen).toMatchObject({ known: true, schema: { type: "object" } });
    const { body } = await api.request("GET", `/api/v1/catalog/subjects/${subject}`);
    expect(body).toMatchObject({ observed: { count: expect.any(Number) as number } });
    const { fieldPaths, routes } = body as { fieldPaths: string[]; routes: string[] };
    expect(fieldPaths).toContain("pull_request.labels[*].name");
    expect(routes).toEqual(["pr-to-sink", "off"]);
    expect((await api.request("GET", "/api/v1/catalog/subjects/nobody.knows")).status).toBe(404);
  });

  test("is listed in pages", async () => {
    const names: string[] = [];
    let cursor = "";
    do {
      const { body } = await api.request("GET", `/api/v1/catalog/subjects?limit=200${cursor}`);
      const page = body as { items: { subject: string }[]; nextCursor?: string };
      names.push(...page.items.map(({ subject }) => subject));
      cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(names.toSorted());
    expect(names).toContain("stripe.events.invoice.paid");
  });

  test("ING-10: tells what is questionable about the configuration, compared with what came in", async () => {
    await put([
      pullRequestRoute,
      {
        ...pullRequestRoute,
        routeName: "typo",
        intendedAction: "a",
        subject: "github.events.pull_reqest.opened",
      },
      {
        ...pullRequestRoute,
        routeName: "path",
        intendedAction: "b",
        filters: [{ path: "pull_request.titel", operator: "Exists" }],
      },
    ]);
    const { body } = await api.request("GET", "/api/v1/catalog/diagnostics");
    const { diagnostics } = body as { diagnostics: { code: string; path?: string; suggestion?: string }[] };
    expect(diagnostics).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: "UNKNOWN_SUBJECT",
          path: "routes[1].subject",
          suggestion: "github.events.pull_request.opened",
        }),
        expect.objectContaining({ code: "ROUTE_NEVER_MATCHED", path: "routes[1]" }),
        expect.objectContaining({
          code: "PATH_NEVER_OBSERVED",
          path: "routes[2].filters[0].path",
          suggestion: "pull_request.title",
        }),
        expect.objectContaining({ code: "SUBJECT_UNCONSUMED", subject: "github.events.star.created" }),
      ]),
    );
  });
});
