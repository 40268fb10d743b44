/**
 * What a full local table does: point operations and transactions on one partition of many rows, in memory, so that no
 * save interrupts.
 *
 *   npm run bench -- storage            1,000 and 100,000 rows
 *   npm run bench -- storage --plain    the same on Azurite's tables as they come, without the index of rows
 *   npm run bench -- storage --quick    1,000 and 10,000 rows, half a second each
 */
import { TableClient, type TransactionAction } from "@azure/data-tables";

import { startStorage } from "../local/storage/server.ts";
import { milliseconds, printTable, whole } from "./support/print.ts";
import { rateAt } from "./support/rate.ts";

const quick = process.argv.includes("--quick");
const sizes = quick ? [1_000, 10_000] : [1_000, 100_000];
const secondsEach = quick ? 0.5 : 3;

const rowOf = (n: number): { partitionKey: string; rowKey: string; text: string; n: number } => ({
  partitionKey: "p",
  rowKey: String(n).padStart(9, "0"),
  text: "x".repeat(200),
  n,
});

function creates(count: number, from: number): TransactionAction[] {
  return Array.from({ length: count }, (_, n): TransactionAction => ["create", rowOf(from + n)]);
}

/** Every operation with how many at a time it is measured. */
function operationsOn(
  table: TableClient,
  size: number,
): [name: string, widths: number[], () => Promise<unknown>][] {
  let next = size;
  const take = (count: number): number => (next += count) - count;
  const old = (): ReturnType<typeof rowOf> => rowOf(Math.floor(Math.random() * size));
  return [
    ["get", [1, 64], () => table.getEntity("p", old().rowKey)],
    ["create", [1, 64], () => table.createEntity(rowOf(take(1)))],
    ["merge", [1], () => table.updateEntity(old(), "Merge")],
    ["replace", [1], () => table.updateEntity(old(), "Replace")],
    ["query of one row", [1], () => firstOf(table, `PartitionKey eq 'p' and RowKey eq '${old().rowKey}'`)],
    ["transaction of 16 creates", [1], () => table.submitTransaction(creates(16, take(16)))],
    ["transaction of 100 creates", [1], () => table.submitTransaction(creates(100, take(100)))],
  ];
}

async function measure(table: TableClient, size: number): Promise<string[][]> {
  await table.createTable();
  for (let from = 0; from < size; from += 100) await table.submitTransaction(creates(100, from));
  const rows: string[][] = [];
  for (const [name, widths, operation] of operationsOn(table, size)) {
    for (const width of widths) {
      const { perSecond, p50, p99 } = await rateAt(width, secondsEach, operation);
      rows.push([name, whole(size), String(width), whole(perSecond), milliseconds(p50), milliseconds(p99)]);
    }
  }
  return rows;
}

async function firstOf(table: TableClient, filter: string): Promise<unknown> {
  for await (const entity of table.listEntities({ queryOptions: { filter } })) return entity;
  throw new Error(`No row matches ${filter}`);
}

const storage = await startStorage({ plainTables: process.argv.includes("--plain") });
try {
  const rows: string[][] = [];
  for (const size of sizes) {
    const table = TableClient.fromConnectionString(storage.connectionString, `rows${size}`, {
      allowInsecureConnection: true,
    });
    rows.push(...(await measure(table, size)));
  }
  printTable(["operation", "rows", "at a time", "a second", "p50 ms", "p99 ms"], rows);
} finally {
  await storage.stop();
}
