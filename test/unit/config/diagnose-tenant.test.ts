import { describe, expect, test } from "vitest";

import { diagnoseTenant, type EventKind, type Observations } from "../../../shared/config/diagnose-tenant.ts";
import { mayHold } from "../../../shared/config/observed-paths.ts";
import type { ObservedSubject } from "../../../shared/ledgers/subjects.ts";
import { configOf, routeOf, subscriptionOf, without } from "./builders.ts";

const at = new Date("2026-11-18T09:00:00Z");

function seen(subject: string, ...fieldPaths: readonly string[]): ObservedSubject {
  return { subject, count: 3, firstSeen: at, lastSeen: at, fieldPaths };
}

function kind(type: string, changes: Partial<EventKind> = {}): EventKind {
  return {
    type,
    sourcesystem: "github",
    connectionid: "conn0001",
    objecttype: "issue",
    eventtype: "opened",
    ...changes,
  };
}

const opened = "github.events.issue.opened";

function observations(changes: Partial<Observations> = {}): Observations {
  return {
    knownSubjects: [opened, "github.events.push"],
    observed: [seen(opened, "issue.id", "issue.labels[*].name", "issue.title")],
    recentKinds: [kind(opened)],
    connections: ["conn0001"],
    ...changes,
  };
}

const codes = (...given: Parameters<typeof diagnoseTenant>): string[] =>
  diagnoseTenant(...given).map(({ code, path, subject }) => `${code} ${path ?? subject ?? ""}`);

describe("a configuration compared with what came in", () => {
  test("has nothing against it where it fits", () => {
    const route = routeOf("fits", { filters: [{ path: "issue.labels[*].name", operator: "Exists" }] });
    expect(codes(configOf([route]), observations())).toEqual([]);
  });

  test("ING-10: names a misspelt subject and the one that was meant", () => {
    const route = routeOf("typo", { subject: "github.events.isue.opened" });
    expect(diagnoseTenant(configOf([route]), observations({ observed: [] }))).toMatchObject([
      { code: "UNKNOWN_SUBJECT", path: "routes[0].subject", suggestion: opened },
    ]);
  });

  test("finds a route and a subscription that nothing ever came for", () => {
    const watched = without(routeOf("watched"), "subject");
    const config = configOf([routeOf("fits"), routeOf("dead", { subject: "github.events.push" }), watched], {
      subscriptions: [
        subscriptionOf("alive", "watched"),
        subscriptionOf("never", "watched", { objectType: "release" }),
      ],
    });
    expect(codes(config, observations())).toEqual([
      "ROUTE_NEVER_MATCHED routes[1]",
      "SUBSCRIPTION_NEVER_MATCHED subscriptions[1]",
    ]);
  });

  test("leaves alone what is disabled, and says nothing of routes before anything came in", () => {
    const off = routeOf("off", { subject: "github.events.push", enabled: false });
    expect(codes(configOf([routeOf("fits"), off]), observations())).toEqual([]);
    const nothing = observations({ observed: [], recentKinds: [] });
    expect(codes(configOf([routeOf("new")]), nothing)).toEqual([]);
  });

  test("finds subjects that no route takes, but not those a dispatcher does", () => {
    const observed = [...observations().observed, seen("github.events.push"), seen("external.events.github")];
    const recentKinds = [kind(opened), kind("github.events.push"), kind("external.events.github")];
    expect(codes(configOf([routeOf("fits")]), observations({ observed, recentKinds }))).toEqual([
      "SUBJECT_UNCONSUMED github.events.push",
    ]);
  });

  test("does not call a subject unconsumed that a route may take by more than its subject", () => {
    const route = { ...without(routeOf("by-type"), "subject"), objectType: "push" };
    const observed = [seen("github.events.push")];
    expect(codes(configOf([route]), observations({ observed, recentKinds: [] }))).toEqual([
      "ROUTE_NEVER_MATCHED routes[0]",
    ]);
  });

  test("finds filters, templates and keys that read what no payload held", () => {
    const route = routeOf("paths", {
      filters: [{ path: "issue.titel", operator: "Exists" }],
      operation: {
        kind: "generic-http",
        path: "/issues/{{data.issue.number}}",
        body: { text: "{{data.issue.title}}", who: "{{event.id}}" },
      },
      ledger: { keyFormulaRef: "BY_VERSION" },
    });
    const config = configOf([route], { keyFormulas: { BY_VERSION: ["objectId", "data.issue.version"] } });
    expect(diagnoseTenant(config, observations())).toMatchObject([
      { code: "PATH_NEVER_OBSERVED", path: "routes[0].filters[0].path", suggestion: "issue.title" },
      { code: "PATH_NEVER_OBSERVED", path: "routes[0].operation.path" },
      { code: "PATH_NEVER_OBSERVED", path: "keyFormulas.BY_VERSION" },
    ]);
  });
});

describe("whether payloads of a shape may hold something at a path", () => {
  const shape = ["issue.id", "issue.labels[*].name", "issue.assignees", "fields.*.value"];

  test.each([
    ["issue.id", true],
    ["issue", true],
    ["issue.labels", true],
    ["issue.labels[0].name", true],
    ["issue.labels[*].name", true],
    ["issue.labels[*].colour", false],
    ["issue.title", false],
    // An empty list shows nothing of its items.
    ["issue.assignees[*].login", true],
    ["fields.cost.value", true],
    ["fields.cost.other", false],
    ["a..b", true],
  ])("%s: %s", (path, expected) => {
    expect(mayHold(shape, path)).toBe(expected);
  });

  test("what may only have been cut off counts as there", () => {
    const cut = Array.from({ length: 200 }, (_, index) => `field${index}`);
    expect(mayHold(cut, "issue.title")).toBe(true);
    expect(mayHold(shape, "a.b.c.d.e.f.g.h.i")).toBe(true);
  });
});
