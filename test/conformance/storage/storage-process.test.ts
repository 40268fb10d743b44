import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { TableClient, TransactionAction } from "@azure/data-tables";
import { BlobServiceClient } from "@azure/storage-blob";
import { expect, onTestFinished, test, vi } from "vitest";

import { lockData } from "../../../local/process/data-lock.ts";
import { listenOn } from "../../../local/process/listen.ts";
import { startStorage, type StorageExit, type StorageServer } from "../../../local/storage/server.ts";
import { runNode, startChild } from "../../support/child-server.ts";
import { collect } from "../../support/collect.ts";
import { newContainer, newTable, noRetries, tableNamed } from "../../support/storage-clients.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function storageForTest(options: Parameters<typeof startStorage>[0] = {}): Promise<StorageServer> {
  const storage = await startStorage(options);
  onTestFinished(() => storage.stop());
  return storage;
}

const exitOf = (storage: StorageServer): Promise<StorageExit> =>
  new Promise((resolve) => {
    storage.onExit(resolve);
  });

async function numbersIn(table: TableClient): Promise<number[]> {
  return (await collect(table.listEntities<{ n: number }>())).map(({ n }) => n);
}

async function fill(table: TableClient, count: number): Promise<number[]> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const writer = async (start: number): Promise<void> => {
    for (let n = start; n < count; n += 16) {
      await table.createEntity({ partitionKey: `p${n}`, rowKey: "r", n });
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, start) => writer(start)));
  return numbers;
}

const inOrder = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

test("storage: memory: two of them know nothing of each other, and a stop ends the process", async () => {
  const [one, two] = await Promise.all([storageForTest(), storageForTest()]);
  const table = await newTable(one.connectionString);
  await table.createEntity({ partitionKey: "p", rowKey: "r" });
  const other = tableNamed(two.connectionString, table.tableName);
  await other.createTable();
  expect(await numbersIn(other)).toEqual([]);
  const exit = exitOf(one);
  await one.stop();
  expect(await exit).toEqual({ code: 0, signal: null, asked: true });
});

test("storage: clean stop: every acknowledged row and blob is there after, also what was under way", async () => {
  const dataDir = temporaryFolder();
  const first = await startStorage({ dataDir });
  const table = await newTable(first.connectionString, noRetries);
  const container = await newContainer(first.connectionString, { retryOptions: { maxTries: 1 } });
  const acknowledged: number[] = [];
  let blobs = 0;
  const rowWriter = async (start: number): Promise<void> => {
    for (let n = start; ; n += 8) {
      await table.createEntity({ partitionKey: `p${n}`, rowKey: "r", n });
      acknowledged.push(n);
    }
  };
  const blobWriter = async (): Promise<void> => {
    for (;;) {
      await container.getBlockBlobClient(`b${blobs}`).upload("x".repeat(1000), 1000);
      blobs += 1;
    }
  };
  const writers = [...Array.from({ length: 8 }, (_, start) => rowWriter(start)), blobWriter()].map((writer) =>
    writer.catch(() => {}),
  );
  await vi.waitUntil(() => acknowledged.length > 200 && blobs > 5, { timeout: 20_000 });
  await first.stop();
  await Promise.all(writers);

  const again = await storageForTest({ dataDir });
  const kept = new Set(await numbersIn(tableNamed(again.connectionString, table.tableName)));
  expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
  const service = BlobServiceClient.fromConnectionString(again.connectionString);
  const reopened = service.getContainerClient(container.containerName);
  for (let n = 0; n < blobs; n += 1) {
    expect(await reopened.getBlockBlobClient(`b${n}`).downloadToBuffer()).toHaveLength(1000);
  }
});

test("storage: kill -9 of the parent: the storage closes by itself and nothing acknowledged is lost", async () => {
  const dataDir = temporaryFolder();
  const server = pathToFileURL("dist/local/storage/server.js").href;
  const parent = runNode([
    "--input-type=module",
    "--eval",
    `import { startStorage } from ${JSON.stringify(server)};
     console.log((await startStorage({ dataDir: ${JSON.stringify(dataDir)} })).connectionString);`,
  ]);
  const table = await newTable(await parent.firstLine);
  const written = await fill(table, 500);
  parent.child.kill("SIGKILL");
  // The lock on the data is given back when everything is saved.
  await vi.waitFor(async () => (await lockData(join(dataDir, "azurite")))(), { timeout: 20_000 });
  const again = await storageForTest({ dataDir });
  const kept = await numbersIn(tableNamed(again.connectionString, table.tableName));
  console.log(`kill -9 of the parent: ${written.length} rows acknowledged, ${kept.length} kept`);
  expect(inOrder(kept)).toEqual(written);
});

test("storage: kill -9 of the storage: says so, and has every table again", async () => {
  const dataDir = temporaryFolder();
  const first = await startStorage({ dataDir });
  const table = await newTable(first.connectionString);
  const written = await fill(table, 100);
  const exit = exitOf(first);
  process.kill(first.pid, "SIGKILL");
  expect(await exit).toEqual({ code: null, signal: "SIGKILL", asked: false });
  const again = await storageForTest({ dataDir });
  const reopened = tableNamed(again.connectionString, table.tableName);
  expect(inOrder(await numbersIn(reopened))).toEqual(written);
  await reopened.createEntity({ partitionKey: "new", rowKey: "r", n: -1 });
  expect(await numbersIn(reopened)).toContain(-1);
});

test("storage: kill -9 under load, three times: no acknowledged row is lost, no transaction is there in part", async () => {
  const dataDir = temporaryFolder();
  const rows = new Set<string>();
  const transactions = new Set<string>();
  const started = new Set<string>();
  for (const round of [1, 2, 3]) {
    const storage = await startStorage({ dataDir });
    const table = tableNamed(storage.connectionString, "underload", noRetries);
    await table.createTable();
    const writeRows = async (lane: number): Promise<void> => {
      for (let n = 0; ; n++) {
        const partitionKey = `row-${round}-${lane}-${n}`;
        await table.createEntity({ partitionKey, rowKey: "r" });
        rows.add(partitionKey);
      }
    };
    const writeTransactions = async (lane: number): Promise<void> => {
      for (let n = 0; ; n++) {
        const partitionKey = `transaction-${round}-${lane}-${n}`;
        started.add(partitionKey);
        const row = (rowKey: number): TransactionAction => ["create", { partitionKey, rowKey: `${rowKey}` }];
        await table.submitTransaction(Array.from({ length: 10 }, (_, rowKey) => row(rowKey)));
        transactions.add(partitionKey);
      }
    };
    const lanes = [1, 2, 3, 4].flatMap((lane) => [writeRows(lane), writeTransactions(lane)]);
    const ended = lanes.map((lane) => lane.catch(() => {}));
    const before = transactions.size;
    await vi.waitUntil(() => transactions.size > before + 50, { timeout: 20_000 });
    process.kill(storage.pid, "SIGKILL");
    await Promise.all(ended);
  }
  const again = await storageForTest({ dataDir });
  const kept = new Map<string, number>();
  for (const { partitionKey = "" } of await collect(
    tableNamed(again.connectionString, "underload").listEntities(),
  ))
    kept.set(partitionKey, (kept.get(partitionKey) ?? 0) + 1);
  console.log(
    `kill -9 of the storage: ${rows.size} rows and ${transactions.size} transactions acknowledged, none lost`,
  );
  expect([...rows].filter((key) => kept.get(key) !== 1)).toEqual([]);
  expect([...transactions].filter((key) => kept.get(key) !== 10)).toEqual([]);
  expect([...started].filter((key) => ![undefined, 10].includes(kept.get(key)))).toEqual([]);
}, 60_000);

test("storage: data in use: a second storage on the same folder is refused with a readable error", async () => {
  const dataDir = temporaryFolder();
  await storageForTest({ dataDir });
  await expect(startStorage({ dataDir })).rejects.toThrow("is in use by another server");
});

test("storage: taken port: is a readable StartError", async () => {
  const holder = createServer();
  const port = await listenOn(holder, "127.0.0.1", 0, "The holder");
  onTestFinished(() => void holder.close());
  const failing = startStorage({ tablePort: port });
  await expect(failing).rejects.toThrow(
    `Table Storage cannot listen on 127.0.0.1:${port}: it is taken; stop what uses it or choose another`,
  );
  await expect(failing).rejects.toHaveProperty("name", "StartError");
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "storage process: %s: it saves and ends with exit code 0",
  async (signal) => {
    const folder = temporaryFolder();
    const args = ["--table-port", "0", "--blob-port", "0", "--queue-port", "0", "--data", folder];
    const server = startChild("local/storage/main.js", args);
    expect(await server.firstLine).toMatch(
      /^Storage listens, blobs on http:\/\/127\.0\.0\.1:\d+, queues on http\S+, tables on http\S+, kept in /,
    );
    server.child.kill(signal);
    expect(await server.ended).toEqual({ code: 0, signal: null });
  },
);

test("queues: service: is there for func, whose Durable extension needs it, and wants a signature", async () => {
  const storage = await startStorage();
  const response = await fetch(`${storage.queueUrl}?comp=list`);
  expect([response.status, response.headers.get("x-ms-error-code")]).toEqual([403, "AuthenticationFailed"]);
  expect(storage.connectionString).toContain(`QueueEndpoint=${storage.queueUrl};`);
  await storage.stop();
});

test("storage process: bad start: a wrong flag is one readable line and exit code 1", async () => {
  for (const [args, text] of [
    [["--memory", "--data", "x"], "Say where to keep the data: either --data DIR or --memory. Try --help"],
    [[], "Say where to keep the data: either --data DIR or --memory. Try --help"],
    [["--memory", "--table-port", "x"], "--table-port takes a number from 0 to 65535, not 'x'"],
  ] as const) {
    const server = startChild("local/storage/main.js", args);
    expect(await server.ended).toEqual({ code: 1, signal: null });
    expect(server.printed).toEqual({ out: "", err: `${text}\n` });
  }
});
