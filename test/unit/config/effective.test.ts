import { assert, constantFrom, double, property } from "fast-check";
import { describe, expect, test } from "vitest";

import { effectiveRoute, type EffectiveRoute } from "../../../shared/config/effective.ts";
import { rateProfiles, retryProfiles } from "../../../shared/config/profiles.ts";
import { nextWaitSeconds } from "../../../shared/config/retry-wait.ts";
import type { Route, RouteConfig } from "../../../shared/config/route-schema.ts";
import { configOf, routeOf } from "./builders.ts";

function resolve(route: Partial<Route>, changes: Partial<RouteConfig> = {}): EffectiveRoute | undefined {
  return effectiveRoute(configOf([routeOf("a", route)], changes), "a");
}

describe("a route in effect", () => {
  test("RTE-06, RTE-08, LED-05: that says nothing has the defaults", () => {
    expect(resolve({})).toEqual({
      routeName: "a",
      enabled: true,
      mode: "queue",
      rateLimitPerMin: undefined,
      workerBatchSize: 50,
      drainIntervalMin: 5,
      maxCyclesPerRun: 2,
      waitsSeconds: [60, 120, 240, 480, 900],
      jitter: 0.2,
      maxRetries: 5,
      ledger: { required: true, uniquenessLevel: "operation", keyFormula: undefined, retentionDays: 90 },
      inDoubt: "park",
      staleGuard: false,
      freezeOnQuarantine: false,
      floodGuard: { limit: 50, windowMin: 5 },
      endpointKey: "crm",
      endpoint: { url: "https://crm.example.com/api" },
      targetSystem: "crm",
      intendedAction: "act-a",
      operation: routeOf("a").operation,
      alertChannel: undefined,
    });
  });

  test("RTE-06: takes its pace from its profile, and from itself before that", () => {
    expect(resolve({ rateProfile: "FEED_SAFE_5MIN", workerBatchSize: 7 })).toMatchObject({
      mode: "drain",
      rateLimitPerMin: 120,
      workerBatchSize: 7,
      drainIntervalMin: 5,
      maxCyclesPerRun: 2,
    });
    const own = { rateProfiles: { gentle: { rateLimitPerMin: 6 } } };
    expect(resolve({ rateProfile: "gentle" }, own)).toMatchObject({ mode: "queue", rateLimitPerMin: 6 });
  });

  test("ERR-03: takes its retries from its profile, at most as many as it says itself", () => {
    expect(resolve({ retryProfile: "WEBHOOK_8" })).toMatchObject({
      waitsSeconds: [60, 120, 240, 480, 900, 900, 900],
      maxRetries: 7,
    });
    expect(resolve({ maxRetries: 2 })).toMatchObject({ waitsSeconds: [60, 120], maxRetries: 2 });
    expect(resolve({ maxRetries: 0 })?.waitsSeconds).toEqual([]);
    const own = { retryProfiles: { patient: { waitsSeconds: [3600], jitter: 0 } } };
    expect(resolve({ retryProfile: "patient" }, own)).toMatchObject({ waitsSeconds: [3600], jitter: 0 });
  });

  test("a built-in profile cannot be redefined", () => {
    const own = { retryProfiles: { STANDARD: { waitsSeconds: [1] } } };
    expect(resolve({}, own)?.maxRetries).toBe(5);
  });

  test("the action is the method where nothing else is said", () => {
    const routes = [{ ...routeOf("a"), operation: { kind: "generic-http", method: "PUT" } as const }];
    delete routes[0]?.intendedAction;
    expect(effectiveRoute(configOf(routes), "a")?.intendedAction).toBe("PUT");
  });

  test("RTE-02: there is none where the route, or what it names, is not there", () => {
    expect(effectiveRoute(configOf([]), "a")).toBeUndefined();
    for (const missing of [
      { endpointKey: "gone" },
      { endpointKey: "constructor" },
      { rateProfile: "GONE" },
      { retryProfile: "toString" },
      { ledger: { keyFormulaRef: "gone" } },
    ]) {
      expect(resolve(missing), JSON.stringify(missing)).toBeUndefined();
    }
  });
});

describe("the profiles", () => {
  test("a saga's retries end while it still holds its lock of 30 minutes", () => {
    const total = retryProfiles.SAGA_STANDARD.waitsSeconds.reduce((sum, wait) => sum + wait * 1.2, 0);
    expect(total).toBeLessThan(30 * 60);
  });

  test("what a drain takes in one run, its rate allows before the next", () => {
    for (const profile of [rateProfiles.FEED_SAFE_5MIN, rateProfiles.SAGA_CONSERVATIVE_5MIN]) {
      const { workerBatchSize, maxCyclesPerRun, rateLimitPerMin, drainIntervalMin } = profile;
      expect(workerBatchSize * maxCyclesPerRun).toBeLessThanOrEqual(rateLimitPerMin * drainIntervalMin);
    }
  });
});

describe("the wait before a retry", () => {
  const standard = { waitsSeconds: [60, 120, 240, 480, 900], jitter: 0.2 };
  const middle = (): number => 0.5;

  test("ERR-03: grows as the profile says, and then there is none", () => {
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) => nextWaitSeconds(standard, attempt, undefined, middle));
    expect(waits).toEqual([60, 120, 240, 480, 900, undefined]);
  });

  test("ERR-03: what the vendor asks for wins, up to a day, but makes no further attempt", () => {
    expect(nextWaitSeconds(standard, 1, 7, middle)).toBe(7);
    expect(nextWaitSeconds(standard, 5, 3600, middle)).toBe(3600);
    expect(nextWaitSeconds(standard, 1, 0, middle)).toBe(1);
    expect(nextWaitSeconds(standard, 1, 1e9, middle)).toBe(86_400);
    expect(nextWaitSeconds(standard, 6, 7, middle)).toBeUndefined();
  });

  test("a Retry-After that makes no sense is not followed", () => {
    expect(nextWaitSeconds(standard, 1, -5, middle)).toBe(60);
    expect(nextWaitSeconds(standard, 1, Number.NaN, middle)).toBe(60);
  });

  test("ERR-03: is spread by a fifth to either side and never more", () => {
    const chance = double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    assert(
      property(constantFrom(1, 2, 3, 4, 5), chance, (attempt, random) => {
        const wait = nextWaitSeconds(standard, attempt, undefined, () => random) ?? 0;
        const base = standard.waitsSeconds[attempt - 1] ?? 0;
        expect(Math.abs(wait - base)).toBeLessThanOrEqual(base * 0.2 + 1);
      }),
    );
    expect(nextWaitSeconds(standard, 5, undefined, () => 0)).toBe(720);
    expect(nextWaitSeconds(standard, 5, undefined, () => 0.999999)).toBe(1080);
  });
});
