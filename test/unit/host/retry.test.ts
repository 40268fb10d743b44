import { describe, expect, test } from "vitest";

import type { HostContext } from "../../../local/host/host-context.ts";
import { retryDelayMs, warnIgnoredRetries } from "../../../local/host/retry.ts";
import { hostedFunction } from "../../support/hosted-function.ts";

const fixed = { retryStrategy: "fixedDelay", maxRetryCount: 2, delayInterval: { seconds: 10 } } as const;
const backoff = {
  retryStrategy: "exponentialBackoff",
  maxRetryCount: -1,
  minimumInterval: { seconds: 4 },
  maximumInterval: { seconds: 60 },
} as const;

describe("a retry policy", () => {
  test("with a fixed delay waits the same time before every attempt", () => {
    expect([1, 2, 3].map((attempt) => retryDelayMs(fixed, attempt))).toEqual([10_000, 10_000, 10_000]);
  });

  test("that backs off starts at the least delay, doubles what it adds and stops at the greatest", () => {
    const delays = (random: () => number): number[] =>
      [1, 2, 3, 4, 5, 6, 40].map((attempt) => retryDelayMs(backoff, attempt, random) / 1000);
    expect(delays(() => 0.5)).toEqual([4, 8, 12, 20, 36, 60, 60]);
    expect(delays(() => 0)).toEqual([4, 7.2, 10.4, 16.8, 29.6, 55.2, 60]);
  });

  test("is said to be ignored, once, where the platform ignores it", () => {
    const written: string[] = [];
    const log: HostContext["log"] = {
      enabled: () => true,
      write: (level, _, message) => void written.push(`${level}: ${message}`),
    };
    const functions = [
      hostedFunction("web", { retryOptions: fixed }),
      hostedFunction("queue", { retryOptions: fixed, triggerType: "serviceBusTrigger" }),
      hostedFunction("clock", { retryOptions: fixed, triggerType: "timerTrigger" }),
      hostedFunction("plain"),
    ];
    warnIgnoredRetries({ functions, log });
    expect(written).toEqual([
      "Warning: Function 'web' has a retry policy, which the platform ignores for httpTrigger: remove it",
      "Warning: Function 'queue' has a retry policy, which the platform ignores for serviceBusTrigger: remove it",
    ]);
  });
});
