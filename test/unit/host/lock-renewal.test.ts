import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { keepLocked } from "../../../local/host/service-bus/lock-renewal.ts";

const lockMs = 10_000;

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

function renewals(maxMs: number): { times: number[]; errors: unknown[]; stop: () => void } {
  const times: number[] = [];
  const errors: unknown[] = [];
  const renew = (): Promise<Date> => {
    times.push(Date.now());
    return times.length < 20
      ? Promise.resolve(new Date(Date.now() + lockMs))
      : Promise.reject(new Error("lost"));
  };
  const stop = keepLocked(new Date(lockMs), maxMs, renew, (error) => errors.push(error));
  return { times, errors, stop };
}

describe("a lock", () => {
  test("is renewed at half-time for as long as it may be", async () => {
    const { times } = renewals(18_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times).toEqual([5000, 10_000, 15_000]);
  });

  test("is renewed no more once its message is done with", async () => {
    const { times, stop } = renewals(60_000);
    await vi.advanceTimersByTimeAsync(7000);
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times).toEqual([5000]);
  });

  test("is not renewed when it may not be", async () => {
    const { times } = renewals(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times).toEqual([]);
  });

  test("that cannot be renewed is given up and reported", async () => {
    const { times, errors } = renewals(1_000_000);
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(times).toHaveLength(20);
    expect(errors).toEqual([new Error("lost")]);
  });
});
