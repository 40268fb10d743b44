import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { grant, intervalUs, waitUs, type Rate } from "../../../shared/rate/gcra.ts";
import { HeldTokens } from "../../../shared/rate/held-tokens.ts";

const rates = fc.record({
  limitPerMinute: fc.integer({ min: 1, max: 100_000 }),
  burst: fc.integer({ min: 1, max: 1_000 }),
});
const asks = fc.array(
  fc.record({ afterUs: fc.integer({ min: 0, max: 2_000_000 }), wanted: fc.integer({ min: 1, max: 40 }) }),
  { maxLength: 200 },
);

/** The most that passes in any stretch between two askings. */
function isWithin(rate: Rate, passed: readonly { readonly atUs: number; readonly count: number }[]): boolean {
  const interval = intervalUs(rate);
  for (let from = 0; from < passed.length; from++) {
    let sum = 0;
    for (let to = from; to < passed.length; to++) {
      sum += passed[to]?.count ?? 0;
      const stretch = (passed[to]?.atUs ?? 0) - (passed[from]?.atUs ?? 0);
      if (sum > stretch / interval + rate.burst) return false;
    }
  }
  return true;
}

describe("the bucket", () => {
  test("never lets more through than limit times time and the burst, in any stretch", () => {
    fc.assert(
      fc.property(rates, asks, (rate, sequence) => {
        let nowUs = 1_770_000_000_000_000;
        let fullAtUs = 0;
        const passed = sequence.map(({ afterUs, wanted }) => {
          nowUs += afterUs;
          const taken = grant(fullAtUs, rate, nowUs, wanted);
          fullAtUs = taken.fullAtUs;
          return { atUs: nowUs, count: taken.granted };
        });
        expect(isWithin(rate, passed)).toBe(true);
      }),
    );
  });

  test("gives the whole burst at once, then one an interval", () => {
    const rate = { limitPerMinute: 60, burst: 5 };
    const first = grant(0, rate, 1_000_000_000, 10);
    expect(first.granted).toBe(5);
    expect(waitUs(first.fullAtUs, rate, 1_000_000_000)).toBe(1_000_000);
    expect(grant(first.fullAtUs, rate, 1_000_999_999, 10).granted).toBe(0);
    expect(grant(first.fullAtUs, rate, 1_001_000_000, 10).granted).toBe(1);
  });

  test("who waits as long as it is told gets a token", () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 5_000_000 }), (rate, laterUs) => {
        const start = 1_770_000_000_000_000;
        const { fullAtUs } = grant(0, rate, start, rate.burst);
        const nowUs = start + laterUs;
        const wait = waitUs(fullAtUs, rate, nowUs);
        expect(grant(fullAtUs, rate, nowUs + wait, 1).granted).toBe(1);
        expect(wait === 0 || grant(fullAtUs, rate, nowUs + wait - 1, 1).granted === 0).toBe(true);
      }),
    );
  });

  test("admits what the rate promises: 120 a minute with a burst of 10, asked every 10 ms for two minutes", () => {
    const rate = { limitPerMinute: 120, burst: 10 };
    let fullAtUs = 0;
    let admitted = 0;
    for (let nowUs = 1e15; nowUs < 1e15 + 120e6; nowUs += 10_000) {
      const taken = grant(fullAtUs, rate, nowUs, 1);
      fullAtUs = taken.fullAtUs;
      admitted += taken.granted;
    }
    expect(admitted).toBe(249);
  });
});

describe("tokens held by hosts", () => {
  test("what hosts spend keeps the promise of the rate in any stretch, whoever asks when", () => {
    const steps = fc.array(
      fc.record({
        host: fc.integer({ min: 0, max: 3 }),
        afterUs: fc.integer({ min: 0, max: 60_000 }),
        wanted: fc.integer({ min: 1, max: 30 }),
      }),
      { maxLength: 200 },
    );
    const busy = fc.record({
      limitPerMinute: fc.integer({ min: 1, max: 30_000 }),
      burst: fc.integer({ min: 1, max: 400 }),
    });
    fc.assert(
      fc.property(busy, steps, (rate, sequence) => {
        const hosts = Array.from({ length: 4 }, () => new HeldTokens(rate));
        let nowUs = 1_770_000_000_000_000;
        let fullAtUs = 0;
        const passed = sequence.map(({ host, afterUs, wanted }) => {
          nowUs += afterUs;
          const held = hosts[host] ?? new HeldTokens(rate);
          const spent = held.spend(wanted, nowUs);
          if (spent === wanted) return { atUs: nowUs, count: wanted };
          const missing = wanted - spent;
          const taken = grant(fullAtUs, held.sharedRate, nowUs, held.worthDebiting(missing, nowUs));
          fullAtUs = taken.fullAtUs;
          held.hold(Math.max(0, taken.granted - missing), nowUs);
          return { atUs: nowUs, count: Math.min(wanted, spent + taken.granted) };
        });
        expect(isWithin(rate, passed)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("a slow bucket is debited token by token, with its whole burst", () => {
    const held = new HeldTokens({ limitPerMinute: 60, burst: 20 });
    expect(held.sharedRate.burst).toBe(20);
    for (let nowUs = 1; nowUs < 10; nowUs++) {
      expect(held.worthDebiting(1, nowUs)).toBe(1);
      held.hold(0, nowUs);
    }
  });

  test("a busy bucket is debited in growing blocks, and in single tokens again after a pause", () => {
    const held = new HeldTokens({ limitPerMinute: 60_000, burst: 1_000 });
    const blocks = [1, 2, 3, 4, 5, 6, 7].map((nowUs) => {
      const block = held.worthDebiting(1, nowUs);
      held.hold(0, nowUs);
      return block;
    });
    expect(blocks).toEqual([1, 2, 4, 8, 16, 25, 25]);
    expect(held.worthDebiting(1, 10_000_000)).toBe(1);
  });
});
