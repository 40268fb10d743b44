import { describe, expect, test } from "vitest";

import { createRateLimiter } from "../../../shared/ledgers/rates.ts";
import { newTable, noRetries } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";

const held = proxyForFile();
const start = new Date("2026-03-01T12:00:00Z");
const after = (milliseconds: number): Date => new Date(start.getTime() + milliseconds);
const key = { tenantId: "demo", name: "route/with any ? name" };

const table = (): ReturnType<typeof newTable> => newTable(held.proxy.connectionString, noRetries);
const sum = (taken: readonly { allowed: number }[]): number =>
  taken.reduce((total, { allowed }) => total + allowed, 0);

describe("a rate shared by hosts", () => {
  test("lets the burst through, and then what grows, whoever asks", async () => {
    const shared = await table();
    const hosts = [createRateLimiter(shared), createRateLimiter(shared), createRateLimiter(shared)];
    const rush = await Promise.all(
      Array.from({ length: 60 }, (_, index) => hosts[index % 3]?.take(key, 60, 5, start) ?? Promise.reject()),
    );
    expect(sum(rush)).toBe(5);
    const later = await Promise.all(hosts.map((host) => host.take(key, 60, 5, after(2_000))));
    expect(sum(later)).toBe(2);
  });

  test("is exact for every limit that is small, one at a time", async () => {
    const [host, other] = [createRateLimiter(await table()), createRateLimiter(await table())];
    expect(await host.take(key, 1, 1, start)).toEqual({ allowed: 1, retryAfterSeconds: 0 });
    expect(await host.take(key, 1, 1, after(59_999))).toMatchObject({ allowed: 0 });
    expect(await host.take(key, 1, 1, after(60_000))).toMatchObject({ allowed: 1 });
    expect(await other.take(key, 1, 1, start, 3)).toMatchObject({ allowed: 1 });
  });

  test("never admits more than limit times time and the burst, with eight busy hosts", async () => {
    const shared = await table();
    const hosts = Array.from({ length: 8 }, () => createRateLimiter(shared));
    let allowed = 0;
    for (let tick = 0; tick <= 20; tick++) {
      const asked = hosts.flatMap((host) => [
        host.take(key, 6_000, 100, after(tick * 50)),
        host.take(key, 6_000, 100, after(tick * 50), 10),
      ]);
      allowed += sum(await Promise.all(asked));
    }
    expect(allowed).toBeLessThanOrEqual(100 + 100);
    expect(allowed).toBeGreaterThan(150);
  });

  test("tells those it turns away different times, one token apart, and keeps its word", async () => {
    const host = createRateLimiter(await table());
    const rush = await Promise.all(Array.from({ length: 6 }, () => host.take(key, 60, 1, start)));
    const waits = rush.map(({ retryAfterSeconds }) => retryAfterSeconds);
    expect(waits).toEqual([0, 1, 2, 3, 4, 5]);
    for (const wait of waits.slice(1)) {
      expect(await host.take(key, 60, 1, after(wait * 1_000))).toMatchObject({ allowed: 1 });
    }
  });

  test("keeps buckets apart by tenant and name, and takes a changed limit at once", async () => {
    const host = createRateLimiter(await table());
    expect(await host.take(key, 60, 1, start)).toMatchObject({ allowed: 1 });
    expect(await host.take({ ...key, tenantId: "acme" }, 60, 1, start)).toMatchObject({ allowed: 1 });
    expect(await host.take({ ...key, name: "other" }, 60, 1, start)).toMatchObject({ allowed: 1 });
    expect(await host.take(key, 60, 1, after(500))).toMatchObject({ allowed: 0 });
    expect(await host.take(key, 60, 2, after(500))).toMatchObject({ allowed: 1 });
  });
});

describe("what a rate costs", () => {
  const operations = (): number =>
    Object.values(held.proxy.counts().table).reduce((total, count) => total + count, 0);

  test("those who ask together share a write, and an empty bucket costs nothing", async () => {
    const host = createRateLimiter(await table());
    await host.take(key, 60, 40, start);
    const before = operations();
    await Promise.all(Array.from({ length: 200 }, () => host.take(key, 60, 40, start)));
    expect(operations() - before).toBeLessThanOrEqual(2);
    const empty = operations();
    for (let count = 0; count < 50; count++) await host.take(key, 60, 40, after(count));
    expect(operations()).toBe(empty);
  });

  test("a busy bucket is written once for a block of tokens", async () => {
    const host = createRateLimiter(await table());
    const before = operations();
    for (let count = 0; count < 500; count++) {
      expect(await host.take(key, 60_000, 1_000, after(count))).toMatchObject({ allowed: 1 });
    }
    expect(operations() - before).toBeLessThan(40);
  });
});

describe("storage that does not answer", () => {
  test("lets nothing pass uncounted", async () => {
    const host = createRateLimiter(await table());
    await host.take(key, 60, 5, start);
    const rule = held.proxy.rules.add({ match: {}, times: 1, fault: { kind: "busy" } });
    await expect(host.take(key, 60, 5, start)).rejects.toMatchObject({ statusCode: 503 });
    expect(rule.hits).toBe(1);
    expect(await host.take(key, 60, 5, start)).toMatchObject({ allowed: 1 });
  });

  test("or whose answer is lost debits twice at the most", async () => {
    const host = createRateLimiter(await newTable(held.proxy.connectionString));
    await host.take(key, 60, 4, start);
    const fault = { kind: "lost-acknowledgement", answer: "reset" } as const;
    held.proxy.rules.add({ match: { kind: "update" }, times: 1, fault });
    expect(await host.take(key, 60, 4, start)).toMatchObject({ allowed: 1 });
    expect(await host.take(key, 60, 4, start, 4)).toMatchObject({ allowed: 1 });
  });
});
