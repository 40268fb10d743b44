import { describe, expect, test } from "vitest";

import { createExpiringCache } from "../../../shared/connections/expiring-cache.ts";

describe("a cache", () => {
  test("loads once for all who ask while it is fresh, and again when it is not", async () => {
    let now = 0;
    const loads: string[] = [];
    const cache = createExpiringCache({ maxAgeMs: 10, maxEntries: 5, clock: () => now }, (key) => {
      loads.push(key);
      return Promise.resolve(loads.length);
    });
    expect(await Promise.all([cache.get("a"), cache.get("a"), cache.get("b")])).toEqual([1, 1, 2]);
    now = 9;
    expect(await cache.get("a")).toBe(1);
    now = 10;
    expect(await cache.get("a")).toBe(3);
  });

  test("does not remember what failed", async () => {
    let fails = true;
    const cache = createExpiringCache({ maxAgeMs: 10, maxEntries: 5 }, () =>
      fails ? Promise.reject(new Error("away")) : Promise.resolve("here"),
    );
    await expect(cache.get("a")).rejects.toThrow("away");
    fails = false;
    expect(await cache.get("a")).toBe("here");
  });

  test("forgets what was asked for longest ago when it is full", async () => {
    const loads: string[] = [];
    const cache = createExpiringCache({ maxAgeMs: 1_000, maxEntries: 2 }, (key) => {
      loads.push(key);
      return Promise.resolve(key);
    });
    for (const key of ["a", "b", "a", "c", "a", "b"]) await cache.get(key);
    expect(loads).toEqual(["a", "b", "c", "b"]);
  });
});
