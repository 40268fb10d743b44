/**
 * From a webhook to its effect: GitHub's pull requests, 2 KB, signed, every one another, by what `npm start` runs, over
 * the bus and one route with its ledger to a sink on this machine.
 *
 *   npm run bench -- route                        1, 16 and 64 on their way at a time, then as fast as they are taken
 *   npm run bench -- route --quick                a tenth of the webhooks
 *   npm run bench -- route --stored 1000,200000   with so many webhooks in the inbox before
 *   npm run bench -- route --profile              where the time of the host's process goes
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readArguments, warmUpAt, webhooksAt, widths } from "./support/arguments.ts";
import { byTheClock } from "./support/ingest-measure.ts";
import { onServices } from "./support/on-services.ts";
import { countingProxy, countOperations, type Operations, printOperations } from "./support/operations.ts";
import { cpuCells, cpuHeads, durability, milliseconds, printTable, whole } from "./support/print.ts";
import { profiled } from "./support/profile.ts";
import { withRoute } from "./support/route-measure.ts";
import { fillInbox } from "./support/stored.ts";
import { startVendor } from "./support/vendor-process.ts";
import type { CountedVolley, Fire } from "./support/volleys.ts";

const { quick, profile, stored } = readArguments();
const vendor = await startVendor();
const scratch = mkdtempSync(join(tmpdir(), "interlock-bench-"));
const onTheirWay = { until: "effect", effects: true } as const;
const unhindered = { until: "answered", effects: true } as const;

function rowOf(
  what: string,
  width: number,
  { effectCount, effectSeconds, effects, repeated, cpu }: CountedVolley,
): string[] {
  const times = [effects.p50, effects.p99, effects.max].map(milliseconds);
  return [
    what,
    String(width),
    whole(effectCount / effectSeconds),
    ...times,
    String(repeated),
    ...cpuCells(cpu),
  ];
}

async function measure(fire: Fire): Promise<void> {
  await fire(64, warmUpAt(quick), unhindered);
  const rows: string[][] = [];
  for (const width of widths)
    rows.push(
      rowOf(
        "the next when one has arrived",
        width,
        await fire(width, webhooksAt(width, quick) / 2, onTheirWay),
      ),
    );
  rows.push(rowOf("the next when one is accepted", 64, await fire(64, webhooksAt(64, quick), unhindered)));
  printTable(
    ["from POST to effect", "at a time", "a second", "p50 ms", "p99 ms", "max ms", "twice", ...cpuHeads],
    rows,
  );
}

async function operations(): Promise<void> {
  await onServices(async (services) => {
    const proxy = await countingProxy(services);
    const settings = { AzureWebJobsStorage: proxy.connectionString };
    const counted = await withRoute(services, vendor, { settings, without: byTheClock }, async (fire) => {
      await fire(1, 10, onTheirWay);
      const results = new Map<number, Operations>();
      for (const width of widths) {
        const count = width === 1 ? 300 : 3_000;
        results.set(
          width,
          await countOperations(services, proxy, count, () => fire(width, count, onTheirWay)),
        );
      }
      return results;
    });
    await proxy.stop();
    console.log("\nWhat one webhook asks of storage and bus, from its acceptance to its effect");
    printOperations(counted);
  });
}

try {
  if (profile) {
    const webhooks = warmUpAt(quick) + webhooksAt(64, quick);
    await onServices((services) =>
      profiled(scratch, webhooks, (profileDir) =>
        withRoute(services, vendor, { profileDir }, (fire) => fire(64, webhooks, onTheirWay)),
      ),
    );
  } else if (stored.length > 0) {
    for (const size of stored) {
      await onServices(async (services) => {
        await fillInbox(services, size);
        console.log(`\nWith ${whole(size)} webhooks in the inbox`);
        await withRoute(services, vendor, { firstNumber: size + 1 }, measure);
      });
    }
  } else {
    console.log(`\n${durability}\n`);
    await onServices((services) => withRoute(services, vendor, {}, measure));
    await operations();
  }
} finally {
  await vendor.stop();
  rmSync(scratch, { recursive: true, force: true });
}
