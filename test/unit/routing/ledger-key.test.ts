import { assert, constantFrom, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";

import { effectiveRoute, type EffectiveRoute } from "../../../shared/config/effective.ts";
import type { Route, RouteConfig } from "../../../shared/config/route-schema.ts";
import { ledgerKeyOf } from "../../../shared/routing/ledger-key.ts";
import { PayloadProblem } from "../../../shared/sources/source.ts";
import { configOf, envelopeOf, routeOf } from "../config/builders.ts";

function resolve(route: Route, changes: Partial<RouteConfig> = {}): EffectiveRoute {
  const resolved = effectiveRoute(configOf([route], changes), route.routeName);
  if (resolved === undefined) throw new Error("The route does not resolve.");
  return resolved;
}

const operation = resolve(routeOf("a"));
const perRecord = resolve(routeOf("a", { ledger: { uniquenessLevel: "record" } }));

describe("the ledger key", () => {
  test("LED-01: is the same for every copy of an event, whenever it arrives", () => {
    const copy = envelopeOf({
      correlationid: "c-2",
      receivedat: "2027-01-01T00:00:00Z",
      traceparent: "x",
      id: "e-2",
    });
    expect(ledgerKeyOf(operation, copy)).toBe(ledgerKeyOf(operation, envelopeOf()));
    expect(ledgerKeyOf(operation, envelopeOf())).toMatch(/^[0-9a-f]{32}$/);
  });

  test("LED-01: stays what it is from release to release, for what was done must be found again", () => {
    expect(ledgerKeyOf(operation, envelopeOf())).toMatchInlineSnapshot(`"35b13bae0045172043b7941295b36a6a"`);
    expect(ledgerKeyOf(perRecord, envelopeOf())).toMatchInlineSnapshot(`"cabbf46b44e79a7b6255aad044348d21"`);
    expect(ledgerKeyOf(operation, envelopeOf(), "watch")).toMatchInlineSnapshot(
      `"c46a89fe7cb55ca642f5d1f7366a9b66"`,
    );
  });

  test.each([
    ["tenant", { tenantid: "t-2" }],
    ["object", { objectid: "6" }],
    ["object type", { objecttype: "pull_request" }],
    ["vendor", { sourcesystem: "gitlab" }],
  ])("LED-01: differs by %s at either level", (_, changes) => {
    for (const route of [operation, perRecord]) {
      expect(ledgerKeyOf(route, envelopeOf(changes))).not.toBe(ledgerKeyOf(route, envelopeOf()));
    }
  });

  test("LED-01: differs by route, action and target", () => {
    const endpoints = { crm: { url: "https://a.example.com", targetSystem: "elsewhere" } };
    const keys = [
      operation,
      resolve(routeOf("b", { intendedAction: "act-a" })),
      resolve(routeOf("a", { intendedAction: "other" })),
      resolve(routeOf("a"), { endpoints }),
    ].map((route) => ledgerKeyOf(route, envelopeOf()));
    expect(new Set(keys).size).toBe(4);
  });

  test("LED-05: at the level of the record the payload does not count, at that of the operation it does", () => {
    const changed = envelopeOf({ payloadhash: "cd".repeat(32) });
    expect(ledgerKeyOf(perRecord, changed)).toBe(ledgerKeyOf(perRecord, envelopeOf()));
    expect(ledgerKeyOf(operation, changed)).not.toBe(ledgerKeyOf(operation, envelopeOf()));
  });

  test("LED-05: the formula DELIVERY tells two deliveries of the same payload apart", () => {
    const route = resolve(routeOf("a", { ledger: { keyFormulaRef: "DELIVERY" } }));
    expect(ledgerKeyOf(route, envelopeOf({ id: "e-2" }))).not.toBe(ledgerKeyOf(route, envelopeOf()));
  });

  test("ING-14: of a subscription goes by subscription, object, event type and payload", () => {
    const first = ledgerKeyOf(operation, envelopeOf(), "watch");
    expect(ledgerKeyOf(operation, envelopeOf({ time: "2027-01-01T00:00:00Z" }), "watch")).toBe(first);
    const others = [
      ledgerKeyOf(operation, envelopeOf(), "watch-2"),
      ledgerKeyOf(operation, envelopeOf({ objectid: "6" }), "watch"),
      ledgerKeyOf(operation, envelopeOf({ eventtype: "closed" }), "watch"),
      ledgerKeyOf(operation, envelopeOf({ payloadhash: "cd".repeat(32) }), "watch"),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
  });

  describe("with a formula of the route's own", () => {
    const formula = ["routeName", "data.issue", "event.type"];
    const route = resolve(routeOf("a", { ledger: { keyFormulaRef: "mine" } }), {
      keyFormulas: { mine: formula },
    });

    test("LED-01: goes by what the formula names, in canonical JSON", () => {
      const ordered = envelopeOf({ data: { issue: { a: 1, b: [2, 3] } }, objectid: "1" });
      const shuffled = envelopeOf({ data: { issue: { b: [2, 3], a: 1 }, more: 1 }, objectid: "2" });
      expect(ledgerKeyOf(route, ordered)).toBe(ledgerKeyOf(route, shuffled));
      const other = envelopeOf({ data: { issue: { a: 1, b: [3, 2] } } });
      expect(ledgerKeyOf(route, other)).not.toBe(ledgerKeyOf(route, ordered));
    });

    test("LED-01: an event without a value it names is a problem of the payload, not the same as every other", () => {
      expect(() => ledgerKeyOf(route, envelopeOf({ data: {} }))).toThrow(PayloadProblem);
      expect(() => ledgerKeyOf(route, envelopeOf({ data: { issue: null } }))).toThrow("needs data.issue");
    });

    test("LED-01: a text and a number that look alike are not the same", () => {
      const [text, number] = [{ issue: "5" }, { issue: 5 }].map((data) =>
        ledgerKeyOf(route, envelopeOf({ data })),
      );
      expect(text).not.toBe(number);
    });
  });

  test("LED-01: two events share a key only if everything the formula names is equal", () => {
    const fields = record({
      objectid: string(),
      payloadhash: constantFrom("a", "b"),
      tenantid: constantFrom("t", "t|"),
    });
    assert(
      property(fields, fields, (left, right) => {
        const same =
          left.objectid === right.objectid &&
          left.payloadhash === right.payloadhash &&
          left.tenantid === right.tenantid;
        expect(ledgerKeyOf(operation, envelopeOf(left)) === ledgerKeyOf(operation, envelopeOf(right))).toBe(
          same,
        );
      }),
    );
  });
});
