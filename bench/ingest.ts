/**
 * How many webhooks a second are accepted: GitHub's, 2 KB, signed, every one another, by what `npm start` runs, and
 * beside it what the same machine can do at all.
 *
 *   npm run bench -- ingest                        1, 16 and 64 at a time, and what one webhook asks of storage and bus
 *   npm run bench -- ingest --quick                a tenth of the webhooks
 *   npm run bench -- ingest --stored 1000,200000   64 at a time with so many webhooks in the inbox before
 *   npm run bench -- ingest --profile              where the time of the host's process goes, 64 at a time
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readArguments, warmUpAt, webhooksAt, widths } from "./support/arguments.ts";
import { afterIntake, byTheClock, measureIngest } from "./support/ingest-measure.ts";
import { measureLimit } from "./support/limit.ts";
import { onServices } from "./support/on-services.ts";
import { countingProxy, countOperations, type Operations, printOperations } from "./support/operations.ts";
import {
  cpuCells,
  cpuHeads,
  durability,
  limitDurability,
  milliseconds,
  percent,
  printTable,
  whole,
} from "./support/print.ts";
import { productApi } from "./support/product.ts";
import { profiled } from "./support/profile.ts";
import { startHost } from "./support/stack.ts";
import { measureStored } from "./support/stored.ts";
import type { VolleyResult } from "./support/vendor.ts";
import { startVendor } from "./support/vendor-process.ts";
import { type CountedVolley, volleysAt } from "./support/volleys.ts";

const given = readArguments();
const vendor = await startVendor();
const scratch = mkdtempSync(join(tmpdir(), "interlock-bench-"));

async function rates(): Promise<void> {
  const limit = await measureLimit(vendor, scratch, widths, { sync: false, quick: given.quick });
  const synced = await measureLimit(vendor, scratch, widths, { sync: true, quick: given.quick });
  const rows: string[][] = [];
  const add = (what: string, results: ReadonlyMap<number, VolleyResult & Partial<CountedVolley>>): void => {
    for (const [width, { accepted, seconds, answers, cpu = new Map<string, number>() }] of results) {
      const rate = accepted / seconds;
      const best = limit.get(width);
      const ratio = best === undefined ? "" : percent(rate / (best.accepted / best.seconds));
      const times = [answers.p50, answers.p99, answers.max].map(milliseconds);
      rows.push([what, String(width), whole(rate), ...times, ratio, ...cpuCells(cpu)]);
    }
  };
  add("limit, written", limit);
  add("limit, synced", synced);
  add("accepted and routed", await onServices((services) => measureIngest(services, vendor, given)));
  add(
    "accepted, nothing else",
    await onServices((services) => measureIngest(services, vendor, given, { without: afterIntake })),
  );
  console.log(`\n${durability}\n${limitDurability}\n`);
  printTable(
    ["webhooks", "at a time", "a second", "p50 ms", "p99 ms", "max ms", "of the limit", ...cpuHeads],
    rows,
  );
}

async function operations(): Promise<void> {
  await onServices(async (services) => {
    const proxy = await countingProxy(services);
    const without = [...afterIntake, ...byTheClock];
    const settings = { AzureWebJobsStorage: proxy.connectionString };
    const host = await startHost(services, { settings, without });
    const hook = await productApi(host.url, services.apiKey).connect();
    const fire = volleysAt(services, host, vendor, hook);
    await fire(1, 10);
    const counted = new Map<number, Operations>();
    for (const width of widths) {
      const count = width === 1 ? 500 : 5_000;
      counted.set(width, await countOperations(services, proxy, count, () => fire(width, count)));
    }
    await host.stop();
    await proxy.stop();
    console.log("\nWhat accepting one webhook asks of storage and bus");
    printOperations(counted);
  });
}

try {
  if (given.profile) {
    await onServices((services) =>
      profiled(scratch, webhooksAt(64, given.quick) + warmUpAt(given.quick), (profileDir) =>
        measureIngest(services, vendor, given, { only: [64], profileDir }),
      ),
    );
  } else if (given.stored.length > 0) {
    for (const size of given.stored) {
      await onServices((services) => measureStored(services, vendor, given, size));
    }
  } else {
    await rates();
    await operations();
  }
} finally {
  await vendor.stop();
  rmSync(scratch, { recursive: true, force: true });
}
