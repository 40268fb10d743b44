import { untilIdle } from "./bus.ts";
import { type Cpu, cpuBetween, cpuSoFar } from "./cpu.ts";
import type { BenchHost, BenchServices } from "./stack.ts";
import type { Volley, VolleyResult } from "./vendor.ts";
import type { Vendor } from "./vendor-process.ts";
import type { HookAddress } from "./webhook-requests.ts";

/** A volley, and what it cost until everything it led to was done: the vendor's process is not in it. */
export interface CountedVolley extends VolleyResult {
  /** For one webhook. */
  readonly cpu: Cpu;
}

export type Fire = (
  width: number,
  count: number,
  options?: Partial<Pick<Volley, "until" | "effects">>,
) => Promise<CountedVolley>;

/** Fires at one host; every webhook is another one, and what a volley left to do is done before the next. */
export function volleysAt(
  services: BenchServices,
  host: BenchHost,
  vendor: Vendor,
  hook: HookAddress,
  firstNumber = 1,
): Fire {
  let next = firstNumber;
  return async (width, count, { until = "answered", effects = false } = {}) => {
    const first = next;
    next += count;
    const before = cpuSoFar(services, host);
    const volley = { url: host.url, hook, first, count, width, until, effects, different: count };
    const result = await vendor.fire(volley);
    await untilIdle(services.ports.busAdmin);
    const cpu = cpuBetween(before, cpuSoFar(services, host), count);
    if (result.accepted < count)
      console.error(`${count - result.accepted} were refused: ${JSON.stringify(result.refused)}`);
    return { ...result, cpu };
  };
}
