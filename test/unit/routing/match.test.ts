import {
  assert,
  constantFrom,
  integer,
  property,
  record,
  shuffledSubarray,
  uniqueArray,
  boolean,
} from "fast-check";
import { describe, expect, test } from "vitest";

import type { Route, RouteConfig } from "../../../shared/config/route-schema.ts";
import type { Envelope } from "../../../shared/envelope/envelope.ts";
import { matchRoutes, type Matches } from "../../../shared/routing/match.ts";
import { configOf, envelopeOf, routeOf, subscriptionOf, without } from "../config/builders.ts";

function match(config: RouteConfig, changes: Partial<Envelope> = {}): Matches {
  const envelope = envelopeOf(changes);
  return matchRoutes(config, envelope, envelope.data);
}

function chosenNames(config: RouteConfig, changes?: Partial<Envelope>): string[] {
  return match(config, changes).chosen.map(({ route }) => route.routeName);
}

const bare = (name: string, changes: Partial<Route>): Route => ({
  ...without(routeOf(name), "subject"),
  ...changes,
});

describe("the choice of routes", () => {
  test.each<[string, Partial<Route>, boolean]>([
    ["its very subject", { subject: "github.events.issue.opened" }, true],
    ["another subject", { subject: "github.events.issue.closed" }, false],
    ["* for one segment", { subject: "github.events.*.opened" }, true],
    ["* for no two segments", { subject: "github.*.opened" }, false],
    ["# for the rest", { subject: "github.#" }, true],
    ["# for no rest", { subject: "github.events.issue.opened.#" }, true],
    ["its vendor", { sourceSystem: "github" }, true],
    ["another vendor", { sourceSystem: "gitlab" }, false],
    ["its types", { objectType: "issue", eventType: "opened" }, true],
    ["one type of two", { objectType: "issue", eventType: "closed" }, false],
    ["any type", { objectType: "*" }, true],
    ["its connection", { connectionId: "conn0001" }, true],
    ["another connection", { connectionId: "conn0002" }, false],
    ["nothing at all", {}, false],
  ])("RTE-01: an event meets a route by %s", (_, criteria, expected) => {
    expect(chosenNames(configOf([bare("a", criteria)]))).toEqual(expected ? ["a"] : []);
  });

  test("RTE-01: several routes with effects of their own all run", () => {
    expect(chosenNames(configOf([routeOf("b"), routeOf("a")]))).toEqual(["a", "b"]);
    const elsewhere = configOf([
      routeOf("a", { intendedAction: "x" }),
      routeOf("b", { intendedAction: "x", endpointKey: "erp" }),
    ]);
    expect(chosenNames(elsewhere)).toEqual(["a", "b"]);
  });

  test("RTE-02: a route that is disabled is skipped and said to be", () => {
    const config = configOf([
      routeOf("a", { enabled: false }),
      routeOf("other", { subject: "x.y", enabled: false }),
    ]);
    expect(match(config)).toEqual({
      chosen: [],
      skipped: [{ routeName: "a", reason: "DISABLED" }],
      missing: [],
    });
  });

  test("ING-12: a route whose filters do not hold is skipped and said to be", () => {
    const filters = [{ path: "issue.labels[*].name", operator: "Equals", value: "security" } as const];
    expect(match(configOf([routeOf("a", { filters })])).skipped).toEqual([
      { routeName: "a", reason: "FILTERED" },
    ]);
    expect(chosenNames(configOf([routeOf("a", { filters: [{ ...filters[0]!, value: "bug" }] })]))).toEqual([
      "a",
    ]);
  });

  describe("RTE-02: of routes with the same effect", () => {
    const same = { intendedAction: "create" };
    const winner = (...routes: readonly Route[]): { chosen: string[]; shadowed: string[] } => {
      const { chosen, skipped } = match(configOf(routes));
      return {
        chosen: chosen.map(({ route }) => route.routeName),
        shadowed: skipped.filter(({ reason }) => reason === "SHADOWED").map(({ routeName }) => routeName),
      };
    };

    test("the higher priority runs", () => {
      const [low, high] = [routeOf("a", same), routeOf("b", { ...same, subject: "github.#", priority: 1 })];
      expect(winner(low, high)).toEqual({ chosen: ["b"], shadowed: ["a"] });
    });

    test("then the one that asks for more", () => {
      const [less, more] = [routeOf("a", same), routeOf("b", { ...same, objectType: "issue" })];
      expect(winner(less, more)).toEqual({ chosen: ["b"], shadowed: ["a"] });
    });

    test("then the one with fewer wildcards", () => {
      const [open, exact] = [routeOf("a", { ...same, subject: "github.events.*.*" }), routeOf("b", same)];
      expect(winner(open, exact)).toEqual({ chosen: ["b"], shadowed: ["a"] });
    });

    test("then the first by name", () => {
      expect(winner(routeOf("b", same), routeOf("a", same))).toEqual({ chosen: ["a"], shadowed: ["b"] });
    });

    test("one that is skipped for another reason stands in nobody's way", () => {
      const off = routeOf("a", { ...same, priority: 9, enabled: false });
      const filtered = routeOf("b", {
        ...same,
        priority: 8,
        filters: [{ path: "nothing", operator: "Exists" }],
      });
      expect(winner(off, filtered, routeOf("c", same))).toEqual({ chosen: ["c"], shadowed: [] });
    });

    test("endpoints of one target system are one target", () => {
      const endpoints = {
        crm: { url: "https://a.example.com", targetSystem: "sales" },
        crm2: { url: "https://b.example.com", targetSystem: "sales" },
      };
      const routes = [routeOf("a", same), routeOf("b", { ...same, endpointKey: "crm2" })];
      expect(match(configOf(routes, { endpoints })).skipped).toEqual([
        { routeName: "b", reason: "SHADOWED" },
      ]);
    });
  });

  describe("ING-14: a subscription", () => {
    const target = bare("target", {});

    test("chooses a route that matches nothing by itself", () => {
      const config = configOf([target], { subscriptions: [subscriptionOf("watch", "target")] });
      expect(match(config)).toEqual({
        chosen: [{ route: target, subscriptionName: "watch" }],
        skipped: [],
        missing: [],
      });
    });

    test.each<[string, Parameters<typeof subscriptionOf>[2], boolean]>([
      ["of its types", {}, true],
      ["of every event type", { eventType: "*" }, true],
      ["of another object type", { objectType: "PROJ" }, false],
      ["that is disabled", { enabled: false }, false],
      ["of another vendor", { sourceSystem: "gitlab" }, false],
      ["of another connection", { connectionId: "conn0002" }, false],
      ["whose filter holds", { filterJson: [{ path: "issue.id", operator: "Equals", value: 5 }] }, true],
      [
        "whose filter does not hold",
        { filterJson: [{ path: "issue.id", operator: "Equals", value: 6 }] },
        false,
      ],
    ])("%s", (_, changes, expected) => {
      const config = configOf([target], { subscriptions: [subscriptionOf("watch", "target", changes)] });
      expect(chosenNames(config)).toEqual(expected ? ["target"] : []);
    });

    test("that filters is told from one that does not match", () => {
      const filterJson = [{ path: "issue.id", operator: "Equals", value: 6 } as const];
      const config = configOf([target], {
        subscriptions: [subscriptionOf("watch", "target", { filterJson })],
      });
      expect(match(config).skipped).toEqual([
        { routeName: "target", reason: "FILTERED", subscriptionName: "watch" },
      ]);
    });

    test("leaves the route's own filters in force", () => {
      const route = bare("target", { filters: [{ path: "nothing", operator: "Exists" }] });
      const config = configOf([route], { subscriptions: [subscriptionOf("watch", "target")] });
      expect(match(config).skipped).toEqual([
        { routeName: "target", reason: "FILTERED", subscriptionName: "watch" },
      ]);
    });

    test("of a route that is there already adds nothing, and of several the first by name counts", () => {
      const subscriptions = [
        subscriptionOf("w2", "target"),
        subscriptionOf("w1", "target"),
        subscriptionOf("w3", "own"),
      ];
      const { chosen } = match(configOf([target, routeOf("own")], { subscriptions }));
      expect(chosen.map(({ route, subscriptionName }) => [route.routeName, subscriptionName])).toEqual([
        ["target", "w1"],
        ["own", undefined],
      ]);
    });

    test("RTE-02: that names no route is missing its configuration", () => {
      const filterJson = [{ path: "nothing", operator: "Exists" } as const];
      const subscriptions = [
        subscriptionOf("watch", "gone"),
        subscriptionOf("quiet", "gone", { filterJson }),
      ];
      expect(match(configOf([], { subscriptions }))).toEqual({
        chosen: [],
        skipped: [],
        missing: [{ subscriptionName: "watch", routeName: "gone" }],
      });
    });
  });

  test("RTE-02: does not depend on the order of the configuration", () => {
    const anyRoute = record({
      routeName: constantFrom("a", "b", "c", "d", "e", "f"),
      subject: constantFrom("github.events.issue.opened", "github.#", "github.events.*.opened", "gitlab.#"),
      intendedAction: constantFrom("x", "y"),
      endpointKey: constantFrom("crm", "erp"),
      priority: integer({ min: 0, max: 1 }),
      enabled: boolean(),
    });
    const routes = uniqueArray(anyRoute, { selector: ({ routeName }) => routeName });
    assert(
      property(
        routes.chain((list) =>
          shuffledSubarray(list, { minLength: list.length }).map((shuffled) => [list, shuffled]),
        ),
        ([list = [], shuffled = []]) => {
          const asRoutes = (some: typeof list): Route[] =>
            some.map(({ routeName, ...rest }) => routeOf(routeName, rest));
          const matches = match(configOf(asRoutes(list)));
          expect(match(configOf(asRoutes(shuffled)))).toEqual(matches);
          const effects = matches.chosen.map(
            ({ route }) => `${String(route.intendedAction)} ${route.endpointKey}`,
          );
          expect(new Set(effects).size).toBe(effects.length);
        },
      ),
    );
  });
});
