import type { Counts } from "../../local/storage/fault-proxy/counts.ts";
import { type FaultProxy, startFaultProxy } from "../../local/storage/fault-proxy/proxy.ts";
import { accountUrl } from "../../local/storage/connection-string.ts";
import { type BusTraffic, busTraffic, untilIdle } from "./bus.ts";
import { printTable } from "./print.ts";
import type { BenchServices } from "./stack.ts";

/** Everything asked of storage and bus while something was done `times` times. */
export interface Operations {
  readonly times: number;
  readonly storage: Counts;
  readonly bus: BusTraffic;
}

/** Between a host and its storage, to count; it would slow a run that is timed. */
export function countingProxy({ ports }: BenchServices): Promise<FaultProxy> {
  return startFaultProxy({
    upstream: { blobUrl: accountUrl(ports.blobs), tableUrl: accountUrl(ports.tables) },
  });
}

export async function countOperations(
  { ports }: BenchServices,
  proxy: FaultProxy,
  times: number,
  work: () => Promise<unknown>,
): Promise<Operations> {
  await untilIdle(ports.busAdmin);
  const before = await busTraffic(ports.busAdmin);
  proxy.resetCounts();
  await work();
  await untilIdle(ports.busAdmin);
  return { times, storage: proxy.counts(), bus: difference(await busTraffic(ports.busAdmin), before) };
}

function difference(after: BusTraffic, before: BusTraffic): BusTraffic {
  return Object.fromEntries(
    Object.entries(after).map(([entity, traffic]) => {
      const was = before[entity];
      const each = (name: keyof typeof traffic): number => traffic[name] - (was?.[name] ?? 0);
      return [
        entity,
        {
          sends: each("sends"),
          messages: each("messages"),
          deliveries: each("deliveries"),
          settlements: each("settlements"),
          requests: each("requests"),
        },
      ];
    }),
  );
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** For one webhook each, at the widths it was counted at. */
export function printOperations(counted: ReadonlyMap<number, Operations>): void {
  const widths = [...counted.keys()];
  const rows = new Map<string, string[]>();
  const add = (what: string, column: number, count: number, times: number): void => {
    if (count === 0) return;
    const cells = rows.get(what) ?? widths.map(() => "0");
    cells[column] = (count / times).toFixed(3);
    rows.set(what, cells);
  };
  for (const [column, { times, storage, bus }] of [...counted.values()].entries()) {
    for (const [table, kinds] of Object.entries(storage.byTable)) {
      for (const [kind, count] of Object.entries(kinds)) add(`table ${table}: ${kind}`, column, count, times);
    }
    const { get, query, ...writes } = storage.table;
    add("tables, reads", column, get + query, times);
    add("tables, writes (a transaction is one)", column, total(writes), times);
    add("tables, rows in transactions", column, total(storage.batched), times);
    for (const [kind, count] of Object.entries(storage.blob)) add(`blobs: ${kind}`, column, count, times);
    for (const [entity, traffic] of Object.entries(bus)) {
      for (const [name, count] of Object.entries(traffic))
        add(`bus ${entity}: ${name}`, column, count, times);
    }
  }
  printTable(
    ["for one webhook", ...widths.map((width) => `${width} at a time`)],
    [...rows].map(([what, cells]) => [what, ...cells]),
  );
}
