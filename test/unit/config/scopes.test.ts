import { describe, expect, test } from "vitest";

import { effectiveRoute } from "../../../shared/config/effective.ts";
import { keyFormulas } from "../../../shared/config/profiles.ts";
import { eventAttributes, keyRoots, templateRoots, templateScope } from "../../../shared/config/scopes.ts";
import { keyScope } from "../../../shared/routing/ledger-key.ts";
import { configOf, envelopeOf, routeOf } from "./builders.ts";

const envelope = envelopeOf({ causationid: "e-0", dataref: "blob" });

describe("what templates and key formulas can speak of", () => {
  test("is what validation allows them, and no more", () => {
    const scope = templateScope({ tenantId: "t", routeName: "a", envelope, idempotencyKey: "k", attempt: 1 });
    expect(Object.keys(scope).toSorted()).toEqual(templateRoots.toSorted());
    expect(Object.keys(scope.event).toSorted()).toEqual(eventAttributes.toSorted());
    const route = effectiveRoute(configOf([routeOf("a")]), "a");
    expect(Object.keys(keyScope(route!, envelope)).toSorted()).toEqual(keyRoots.toSorted());
  });

  test("the built-in formulas keep to it", () => {
    const roots: readonly string[] = keyRoots;
    expect(
      Object.values(keyFormulas)
        .flat()
        .filter((path) => !roots.includes(path)),
    ).toEqual([]);
  });
});
