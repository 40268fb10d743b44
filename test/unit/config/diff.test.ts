import { describe, expect, test } from "vitest";

import { diffConfigs } from "../../../shared/config/diff.ts";
import { configOf, routeOf, subscriptionOf } from "./builders.ts";

describe("the difference of two configurations", () => {
  test("RTE-04: names what was added, removed and changed, with each field before and after", () => {
    const before = configOf([routeOf("a"), routeOf("b"), routeOf("gone")], {
      subscriptions: [subscriptionOf("s", "a")],
      retryProfiles: { mine: { waitsSeconds: [1, 2] } },
    });
    const after = configOf(
      [
        routeOf("b", {
          enabled: false,
          operation: { kind: "generic-http", method: "PUT", body: { title: "x" } },
        }),
        routeOf("a"),
        routeOf("new"),
      ],
      { subscriptions: [subscriptionOf("s", "b")], retryProfiles: { mine: { waitsSeconds: [1, 3, 4] } } },
    );
    expect(diffConfigs(before, after)).toEqual({
      added: [{ kind: "route", name: "new" }],
      removed: [{ kind: "route", name: "gone" }],
      changed: [
        {
          kind: "retryProfile",
          name: "mine",
          fields: [
            { path: "waitsSeconds[1]", before: 2, after: 3 },
            { path: "waitsSeconds[2]", after: 4 },
          ],
        },
        {
          kind: "route",
          name: "b",
          fields: [
            { path: "enabled", before: true, after: false },
            { path: "operation.method", before: "POST", after: "PUT" },
            { path: "operation.path", before: "/issues" },
            { path: "operation.idempotencyHeader", before: "Idempotency-Key" },
            { path: "operation.body", after: { title: "x" } },
          ],
        },
        { kind: "subscription", name: "s", fields: [{ path: "routeName", before: "a", after: "b" }] },
      ],
    });
  });

  test("RTE-04: is empty between a configuration and itself in another order", () => {
    const config = configOf([routeOf("a"), routeOf("b")]);
    const nothing = { added: [], removed: [], changed: [] };
    expect(diffConfigs(config, structuredClone(config))).toEqual(nothing);
    expect(diffConfigs(config, configOf([routeOf("b"), routeOf("a")]))).toEqual(nothing);
  });

  test("a field that becomes null is told from one that goes", () => {
    const [none, nil] = [undefined, null].map((body) =>
      configOf([routeOf("a", { operation: { kind: "generic-http", ...(body === null ? { body } : {}) } })]),
    );
    expect(diffConfigs(none!, nil!).changed[0]?.fields).toEqual([{ path: "operation.body", after: null }]);
  });
});
