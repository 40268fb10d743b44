import { readFileSync } from "node:fs";

import type { BenchHost, BenchServices } from "./stack.ts";

/** Microseconds of processor time by process. It says what something costs, also on a machine that others use. */
export type Cpu = ReadonlyMap<string, number>;

const microsecondsPerTick = 10_000;

/** Empty where the system does not tell (it does on Linux). */
export function cpuSoFar({ parts }: BenchServices, host: BenchHost): Cpu {
  const processes = [{ name: "host", pid: host.pid }, ...parts];
  return new Map(
    processes.flatMap(({ name, pid }) => {
      const used = pid === undefined ? undefined : ticksOf(pid);
      return used === undefined ? [] : [[name, used * microsecondsPerTick] as const];
    }),
  );
}

export function cpuBetween(before: Cpu, after: Cpu, times: number): Cpu {
  return new Map([...after].map(([name, used]) => [name, (used - (before.get(name) ?? 0)) / times]));
}

/** User and system time, the 14th and 15th field; the second, in brackets, may hold blanks. */
function ticksOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}
