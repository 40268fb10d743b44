import { describe, expect, test } from "vitest";

import { createVersionCache } from "../../../shared/config/config-cache.ts";
import { createRecentMap } from "../../../shared/config/recent-map.ts";
import { configOf, routeOf } from "./builders.ts";

/** A store that counts its reads; `fail` makes the next one fail. */
function storeOf(versions: Record<string, ReturnType<typeof configOf>>) {
  const state = { head: "h1" as string | undefined, headReads: 0, versionReads: 0, fail: false, time: 0 };
  const failing = (): void => {
    if (!state.fail) return;
    state.fail = false;
    throw new Error("storage is away");
  };
  const cache = createVersionCache(
    {
      currentHash: async () => {
        state.headReads += 1;
        await Promise.resolve();
        failing();
        return state.head;
      },
      version: async (_, hash) => {
        state.versionReads += 1;
        await Promise.resolve();
        return versions[hash];
      },
    },
    { maxAgeMs: 5000, now: () => state.time },
  );
  return { cache, state };
}

const versions = { h1: configOf([routeOf("a")]), h2: configOf([routeOf("b")]) };

describe("the cache of configurations", () => {
  test("RTE-03: asks for the head at most every five seconds, and for a version once", async () => {
    const { cache, state } = storeOf(versions);
    await Promise.all(Array.from({ length: 50 }, () => cache.current("t")));
    state.time = 4999;
    expect(await cache.current("t")).toEqual({ hash: "h1", config: versions.h1 });
    expect(state).toMatchObject({ headReads: 1, versionReads: 1 });
    state.time = 5000;
    state.head = "h2";
    expect((await cache.current("t"))?.hash).toBe("h2");
    state.head = "h1";
    state.time = 10_000;
    await cache.current("t");
    expect(state).toMatchObject({ headReads: 3, versionReads: 2 });
  });

  test("RTE-03: gives a version that is no longer current to whoever was routed by it", async () => {
    const { cache } = storeOf(versions);
    expect(await cache.version("t", "h2")).toEqual({ hash: "h2", config: versions.h2 });
    expect(await cache.version("t", "h2")).toBe(await cache.version("t", "h2"));
    expect(await cache.version("t", "h3")).toBeUndefined();
  });

  test("SEC-01: keeps tenants apart", async () => {
    const { cache, state } = storeOf(versions);
    await Promise.all([cache.current("t1"), cache.current("t2"), cache.version("t1", "h1")]);
    expect(state).toMatchObject({ headReads: 2, versionReads: 2 });
  });

  test("remembers that a tenant has none, but not a read that failed", async () => {
    const { cache, state } = storeOf({});
    state.fail = true;
    await expect(cache.current("t")).rejects.toThrow("storage is away");
    state.head = undefined;
    expect(await cache.current("t")).toBeUndefined();
    expect(await cache.current("t")).toBeUndefined();
    expect(state.headReads).toBe(2);
  });

  test("forgets what was changed here", async () => {
    const { cache, state } = storeOf(versions);
    await cache.current("t");
    state.head = "h2";
    cache.forget("t");
    expect((await cache.current("t"))?.hash).toBe("h2");
  });

  test("keeps what was used last", () => {
    const map = createRecentMap<number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.get("a");
    map.set("c", 3);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
    map.drop("a", 9);
    expect(map.get("a")).toBe(1);
    map.drop("a");
    expect(map.get("a")).toBeUndefined();
  });
});
