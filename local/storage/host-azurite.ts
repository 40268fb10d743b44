import { createServer } from "node:net";
import { join } from "node:path";

import blobConfiguration from "azurite/dist/src/blob/BlobConfiguration.js";
import blobServer from "azurite/dist/src/blob/BlobServer.js";
import type { AzuriteServer, ExtentArguments, Security } from "azurite/dist/src/common/ServerBase.js";
import queueConfiguration from "azurite/dist/src/queue/QueueConfiguration.js";
import queueServer from "azurite/dist/src/queue/QueueServer.js";
import tableConfiguration from "azurite/dist/src/table/TableConfiguration.js";
import tableServer from "azurite/dist/src/table/TableServer.js";

import { lockData } from "../process/data-lock.ts";
import { listenOn } from "../process/listen.ts";
import { OpenRequests } from "../process/open-requests.ts";
import { indexTables } from "./table-index.ts";
import { journalTables } from "./table-journal.ts";

/** Blobs, queues and tables; the platform uses no queues, but func and its Durable extension do. */
export interface StoragePorts {
  readonly blobs: number;
  readonly queues: number;
  readonly tables: number;
}

export interface HostOptions {
  /** Where everything is kept; in memory without it. */
  readonly dataDir: string | undefined;
  readonly ports: StoragePorts;
  /** Azurite's tables as they come, without our index and journal; to compare with. */
  readonly plainTables: boolean;
}

export interface HostedAzurite {
  readonly ports: StoragePorts;
  /** Everything acknowledged is on disk when it resolves. */
  stop(): Promise<void>;
}

const host = "127.0.0.1";
const keepAliveSeconds = 5;

/** Runs Azurite in this process. */
export async function hostAzurite({ dataDir, ports, plainTables }: HostOptions): Promise<HostedAzurite> {
  // Azurite writes its files before it listens, so whether it may is found out first.
  await checkFree("Blob Storage", ports.blobs);
  await checkFree("Queue Storage", ports.queues);
  await checkFree("Table Storage", ports.tables);
  const unlock = dataDir === undefined ? () => {} : await lockData(join(dataDir, "azurite"));
  const blobs = await started(
    new blobServer.default(new blobConfiguration.default(...extentSettings(dataDir, "blob", ports.blobs))),
  );
  const queues = await started(
    new queueServer.default(
      new queueConfiguration.default(...extentSettings(dataDir, "queue", ports.queues)),
    ),
  );
  const server = new tableServer.default(tableSettings(plainTables ? dataDir : undefined, ports.tables));
  if (!plainTables) {
    indexTables(server.metadataStore);
    if (dataDir !== undefined) journalTables(server.metadataStore, join(dataDir, "tables"));
  }
  const tables = await started(server);
  return {
    ports: { blobs: blobs.port, queues: queues.port, tables: tables.port },
    async stop() {
      await Promise.all([blobs.stop(), queues.stop(), tables.stop()]);
      unlock();
    },
  };
}

async function checkFree(what: string, port: number): Promise<void> {
  const probe = createServer();
  await listenOn(probe, host, port, what);
  await new Promise<void>((resolve) => {
    probe.close(() => resolve());
  });
}

async function started(server: AzuriteServer): Promise<{ port: number; stop(): Promise<void> }> {
  const requests = new OpenRequests(server.httpServer);
  await server.start();
  const address = server.httpServer.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    /** Azurite saves as it closes, whether or not requests are under way, so they are let through before. */
    async stop() {
      await requests.drain();
      await server.close();
    },
  };
}

/** The newest SDK speaks a later API version than this Azurite knows, so the check of it is off. */
function security(dataDir: string | undefined): Security {
  return [false, true, "", "", "", undefined, true, dataDir === undefined];
}

function tableSettings(
  dataDir: string | undefined,
  port: number,
): InstanceType<typeof tableConfiguration.default> {
  const metadata = join(dataDir ?? "", "tables.json");
  return new tableConfiguration.default(
    ...([host, port, keepAliveSeconds, metadata, false, false, undefined, undefined] as const),
    ...security(dataDir),
  );
}

function extentSettings(dataDir: string | undefined, kind: "blob" | "queue", port: number): ExtentArguments {
  const under = (name: string): string => join(dataDir ?? "", name);
  const extents = [{ locationId: "Default", locationPath: under(`${kind}s`), maxConcurrency: 50 }];
  return [
    ...([
      host,
      port,
      keepAliveSeconds,
      under(`${kind}s.json`),
      under(`${kind}-extents.json`),
      extents,
    ] as const),
    ...([false, undefined, false, undefined] as const),
    ...security(dataDir),
  ];
}
