import { assert, jsonValue, object, property } from "fast-check";
import { describe, expect, test } from "vitest";

import type { Diagnostic } from "../../../shared/config/diagnostic.ts";
import type { Endpoint, Route, RouteConfig } from "../../../shared/config/route-schema.ts";
import { validateConfig } from "../../../shared/config/validate.ts";
import { configOf, routeOf, subscriptionOf, without } from "./builders.ts";

const knownSubjects = ["github.events.issue.opened", "github.events.issue.closed"];
const surroundings = { knownSubjects, connections: ["conn0001"] };

function find(config: unknown): readonly Diagnostic[] {
  const { errors, warnings } = validateConfig(config, surroundings);
  return [...errors, ...warnings];
}

function found(config: unknown): string[] {
  return find(config).map(({ severity, code, path }) => `${severity} ${code} ${path}`);
}

const withRoute = (changes: Partial<Route>, rest?: Partial<RouteConfig>): RouteConfig =>
  configOf([routeOf("a", changes)], rest);
const withOperation = (changes: Partial<Route["operation"]>): RouteConfig =>
  withRoute({ operation: { ...routeOf("a").operation, ...changes } });
const withEndpoint = (changes: Partial<Endpoint>): RouteConfig =>
  withRoute({}, { endpoints: { crm: { url: "https://crm.example.com", ...changes } } });

describe("the validation of a configuration", () => {
  test("RTE-04: finds nothing in one that is right, and gives it back", () => {
    const config = configOf(
      [routeOf("a"), routeOf("b", { retryProfile: "WEBHOOK_8", rateProfile: "INLINE" })],
      {
        subscriptions: [subscriptionOf("watch", "a")],
      },
    );
    expect(validateConfig(config, surroundings)).toEqual({ config, errors: [], warnings: [] });
    expect(validateConfig({ routes: [] }, surroundings).errors).toEqual([]);
  });

  test("RTE-04: names every mistake of form at once, in words", () => {
    const { errors, config } = validateConfig(
      {
        routes: [{ routeName: "1st", enabled: "yes", operation: { kind: "generic-htp" }, rout: 1 }],
        endpoint: {},
      },
      surroundings,
    );
    expect(config).toBeUndefined();
    expect(Object.fromEntries(errors.map(({ path, message }) => [path, message]))).toMatchObject({
      "routes[0].endpointKey": "is missing",
      "routes[0].enabled": "must be true or false",
      "routes[0].operation.kind": expect.stringContaining("did you mean generic-http?") as unknown,
      "routes[0].routeName": expect.stringContaining("a letter, then up to 62") as unknown,
      "routes[0].rout": expect.stringContaining("is not known") as unknown,
      endpoint: expect.stringContaining("did you mean endpoints?") as unknown,
    });
  });

  test("names are given once, and built-in ones not at all", () => {
    const config = configOf([routeOf("a"), routeOf("a", { intendedAction: "x" })], {
      subscriptions: [subscriptionOf("s", "a"), subscriptionOf("s", "a")],
      retryProfiles: { STANDARD: { waitsSeconds: [1] } },
      keyFormulas: { RECORD: ["objectId"] },
    });
    expect(found(config)).toEqual([
      "error DUPLICATE_NAME routes[1].routeName",
      "error DUPLICATE_NAME subscriptions[1].subscriptionName",
      "error RESERVED_NAME retryProfiles.STANDARD",
      "error RESERVED_NAME keyFormulas.RECORD",
    ]);
  });

  test("RTE-02: what is named is there, or the nearest is suggested", () => {
    const config = configOf(
      [
        routeOf("sync-issue", {
          endpointKey: "crmm",
          retryProfile: "STANDART",
          rateProfile: "FEED_SAFE_5MINS",
          ledger: { keyFormulaRef: "DELIVRY" },
        }),
      ],
      { subscriptions: [subscriptionOf("watch", "sync-isue")] },
    );
    expect(find(config).map(({ code, path, suggestion }) => [code, path, suggestion])).toEqual([
      ["UNKNOWN_ENDPOINT", "routes[0].endpointKey", "crm"],
      ["UNKNOWN_RETRY_PROFILE", "routes[0].retryProfile", "STANDARD"],
      ["UNKNOWN_RATE_PROFILE", "routes[0].rateProfile", "FEED_SAFE_5MIN"],
      ["UNKNOWN_KEY_FORMULA", "routes[0].ledger.keyFormulaRef", "DELIVERY"],
      ["UNKNOWN_ROUTE", "subscriptions[0].routeName", "sync-issue"],
    ]);
  });

  test("a route that nothing can match is an error, one that a subscription names is not", () => {
    const route = without(routeOf("a"), "subject");
    expect(found(configOf([route]))).toEqual(["error UNREACHABLE_ROUTE routes[0]"]);
    expect(found(configOf([route], { subscriptions: [subscriptionOf("s", "a")] }))).toEqual([]);
  });

  test("ERR-03: a route cannot retry more often than its profile waits", () => {
    expect(found(withRoute({ maxRetries: 6 }))).toEqual(["error TOO_MANY_RETRIES routes[0].maxRetries"]);
    expect(found(withRoute({ maxRetries: 7, retryProfile: "WEBHOOK_8" }))).toEqual([]);
  });

  test.each<[string, RouteConfig, string]>([
    [
      "a filter",
      withRoute({ filters: [{ path: "a..b", operator: "Exists" }] }),
      "BAD_PATH routes[0].filters[0].path",
    ],
    [
      "a reference",
      withOperation({ sideEffectRefPath: "a[" }),
      "BAD_PATH routes[0].operation.sideEffectRefPath",
    ],
    [
      "a look-up",
      withOperation({ lookup: { path: "/x", existsPath: "a b" } }),
      "BAD_PATH routes[0].operation.lookup.existsPath",
    ],
    ["an address", withOperation({ path: "/x/{{data.id" }), "BAD_TEMPLATE routes[0].operation.path"],
    [
      "a header",
      withOperation({ headers: { "x-id": "{{data..id}}" } }),
      "BAD_TEMPLATE routes[0].operation.headers.x-id",
    ],
    [
      "a body",
      withOperation({ body: { list: [1, { t: "{{payload.id}}" }] } }),
      "BAD_TEMPLATE routes[0].operation.body.list[1].t",
    ],
    [
      "an endpoint's header",
      withEndpoint({ headers: { a: "{{x}}" } }),
      "BAD_TEMPLATE endpoints.crm.headers.a",
    ],
    ["a formula", withRoute({}, { keyFormulas: { f: ["objectId", "data."] } }), "BAD_PATH keyFormulas.f[1]"],
    ["another formula", withRoute({}, { keyFormulas: { f: ["objectld"] } }), "BAD_PATH keyFormulas.f[0]"],
  ])("a path that cannot be read is found in %s", (_, config, expected) => {
    expect(found(config)).toEqual([`error ${expected}`]);
  });

  test.each([
    ["{{dat.x}}", "data.x"],
    ["{{pull_request.number}}", "data.pull_request.number"],
    ["{{event.correlationId}}", "event.correlationid"],
  ])("%s gets the suggestion %s", (template, suggestion) => {
    expect(find(withOperation({ body: template }))).toMatchObject([{ code: "BAD_TEMPLATE", suggestion }]);
  });

  test("ING-12: a filter has a value its operator can use", () => {
    const filters: Route["filters"] = [
      { path: "a", operator: "Equals" },
      { path: "a", operator: "Exists", value: true },
      { path: "a", operator: "GreaterThan", value: "many" },
      { path: "a", operator: "LessThan", value: "2026-11-18" },
      { path: "a", operator: "Contains", value: null },
      { path: "a", operator: "Equals", value: null },
    ];
    expect(found(withRoute({ filters }))).toEqual([
      "error BAD_FILTER routes[0].filters[0].value",
      "error BAD_FILTER routes[0].filters[1].value",
      "error BAD_FILTER routes[0].filters[2].value",
      "error BAD_FILTER routes[0].filters[4].value",
    ]);
  });

  test("LED-01: a key that differs between copies is an error, one that tells nothing apart a warning", () => {
    const ledger = { keyFormulaRef: "shared" };
    const config = configOf([routeOf("a", { ledger }), routeOf("b", { ledger })], {
      keyFormulas: {
        unstable: ["objectId", "event.receivedat", "attempt"],
        broad: ["routeName", "targetSystem"],
        shared: ["objectId"],
      },
    });
    expect(found(config)).toEqual([
      "error UNSTABLE_KEY keyFormulas.unstable[1]",
      "error UNSTABLE_KEY keyFormulas.unstable[2]",
      "warning BROAD_KEY keyFormulas.broad",
      "warning BROAD_KEY keyFormulas.shared",
    ]);
  });

  test.each<[string, RouteConfig, string[]]>([
    ["plain http", withEndpoint({ url: "http://crm.example.com" }), ["warning PLAIN_HTTP endpoints.crm.url"]],
    ["ftp", withEndpoint({ url: "ftp://crm.example.com" }), ["error BAD_ADDRESS endpoints.crm.url"]],
    [
      "a password",
      withEndpoint({ url: "https://u:p@crm.example.com" }),
      ["error SECRET_IN_CONFIG endpoints.crm.url"],
    ],
    [
      "a query",
      withEndpoint({ url: "https://crm.example.com?a=1" }),
      ["error BAD_ADDRESS endpoints.crm.url"],
    ],
    [
      "basic without user",
      withEndpoint({ auth: { scheme: "basic", secretName: "s" } }),
      ["error AUTH_INCOMPLETE endpoints.crm.auth.username"],
    ],
    [
      "header without name",
      withEndpoint({ auth: { scheme: "header", secretName: "s" } }),
      ["error AUTH_INCOMPLETE endpoints.crm.auth.header"],
    ],
    ["a bearer", withEndpoint({ auth: { scheme: "bearer", secretName: "s" } }), []],
    [
      "a secret in a header",
      withOperation({ headers: { Authorization: "Bearer x" } }),
      ["error SECRET_IN_CONFIG routes[0].operation.headers.Authorization"],
    ],
    [
      "its own host",
      withEndpoint({ headers: { Host: "x" } }),
      ["error BAD_ADDRESS endpoints.crm.headers.Host"],
    ],
    [
      "a path that extends the host",
      withOperation({ path: ".evil.example.com" }),
      ["error SCHEMA routes[0].operation.path"],
    ],
  ])("SEC-03: an endpoint with %s", (_, config, expected) => {
    expect(found(config)).toEqual(expected);
  });

  test("ING-10: an unknown subject is a warning with the nearest one", () => {
    expect(find(withRoute({ subject: "github.events.isue.opened" }))).toMatchObject([
      {
        severity: "warning",
        code: "UNKNOWN_SUBJECT",
        path: "routes[0].subject",
        suggestion: "github.events.issue.opened",
      },
    ]);
    expect(found(withRoute({ subject: "github.events.*.opened" }))).toEqual([]);
  });

  test("a connection that is not there is a warning, where connections are known", () => {
    const config = withRoute({ connectionId: "conn0002" });
    expect(found(config)).toEqual(["warning UNKNOWN_CONNECTION routes[0].connectionId"]);
    expect(validateConfig(config, { knownSubjects }).warnings).toEqual([]);
  });

  describe("RTE-02: of two routes with the same effect the one that loses is said to be shadowed", () => {
    const same = { intendedAction: "create" };
    const pair = (left: Partial<Route>, right: Partial<Route>, rest?: Partial<RouteConfig>): string[] =>
      found(configOf([routeOf("a", { ...same, ...left }), routeOf("b", { ...same, ...right })], rest));

    test.each<[string, Partial<Route>, Partial<Route>, string[]]>([
      ["the same subject", {}, {}, ["routes[1]"]],
      [
        "patterns that meet",
        { subject: "github.*.issue.opened" },
        { subject: "github.events.#" },
        ["routes[1]"],
      ],
      ["a priority", {}, { priority: 1 }, ["routes[0]"]],
      ["subjects apart", {}, { subject: "github.events.issue.closed" }, []],
      ["types apart", { objectType: "issue" }, { objectType: "pr" }, []],
      ["another action", {}, { intendedAction: "other" }, []],
      ["one disabled", {}, { enabled: false }, []],
      [
        "filters that exclude each other",
        { filters: [{ path: "x", operator: "Equals", value: 1 }] },
        { filters: [{ path: "x", operator: "Equals", value: 2 }] },
        [],
      ],
      [
        "filters on any of many items",
        { filters: [{ path: "x[*].y", operator: "Equals", value: 1 }] },
        { filters: [{ path: "x[*].y", operator: "Equals", value: 2 }] },
        ["routes[1]"],
      ],
    ])("%s", (_, left, right, expected) => {
      expect(pair(left, right)).toEqual(expected.map((path) => `warning SHADOWED_ROUTE ${path}`));
    });

    test("also where a subscription brings them together", () => {
      const subscriptions = [subscriptionOf("s", "b")];
      expect(pair({}, { subject: "github.events.issue.closed" }, { subscriptions })).toEqual([
        "warning SHADOWED_ROUTE routes[0]",
      ]);
    });
  });

  test("FST-01: a lost answer that nobody can clear up is a warning", () => {
    const operation = { kind: "generic-http", method: "POST" } as const;
    expect(found(withRoute({ operation }))).toEqual(["warning IN_DOUBT_PARKS routes[0]"]);
    expect(found(withRoute({ operation, inDoubt: "retry" }))).toEqual([]);
    expect(found(withRoute({ operation: { ...operation, lookup: { path: "/x" } } }))).toEqual([]);
    expect(found(withRoute({ operation: { ...operation, method: "GET" } }))).toEqual([]);
  });

  test("a document nested beyond reason is refused before anything walks it", () => {
    const body: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(found({ routes: [{ operation: { body } }] })).toEqual(["error TOO_DEEP "]);
  });

  test("answers whatever it is given", () => {
    assert(
      property(jsonValue(), (raw) => {
        validateConfig(raw, surroundings);
      }),
    );
    assert(
      property(object(), (body) => {
        expect(
          validateConfig(withOperation({ body: JSON.parse(JSON.stringify(body)) as unknown }), surroundings)
            .errors,
        ).toBeDefined();
      }),
    );
  });

  test("takes a full house in reasonable time", () => {
    const routes = Array.from({ length: 500 }, (_, index) =>
      routeOf(`r${index}`, { intendedAction: "create", subject: `github.events.issue.x${index}` }),
    );
    const started = performance.now();
    expect(validateConfig(configOf(routes), { knownSubjects: ["github.#"] }).errors).toEqual([]);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
