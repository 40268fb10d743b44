import { createServer } from "node:net";
import { join } from "node:path";

import blobConfiguration from "azurite/dist/src/blob/BlobConfiguration.js";
import blobServer from "azurite/dist/src/blob/BlobServer.js";
import tableConfiguration from "azurite/dist/src/table/TableConfiguration.js";
import tableServer, { type AzuriteServer } from "azurite/dist/src/table/TableServer.js";

import { lockData } from "./data-lock.ts";
import { listenOn } from "./listen.ts";
import { OpenRequests } from "./open-requests.ts";

export interface HostedAzurite {
  readonly tablePort: number;
  readonly blobPort: number;
  /** Everything acknowledged is on disk when it resolves. */
  stop(): Promise<void>;
}

const host = "127.0.0.1";
const keepAliveSeconds = 5;

/** Runs Azurite's tables and blobs in this process, in `dataDir` or in memory. */
export async function hostAzurite(
  dataDir: string | undefined,
  tablePort: number,
  blobPort: number,
): Promise<HostedAzurite> {
  // Azurite writes its files before it listens, so whether it may is found out first.
  await checkFree("Table Storage", tablePort);
  await checkFree("Blob Storage", blobPort);
  const unlock = dataDir === undefined ? () => {} : await lockData(join(dataDir, "azurite"));
  const tables = await started(new tableServer.default(tableSettings(dataDir, tablePort)));
  const blobs = await started(new blobServer.default(blobSettings(dataDir, blobPort)));
  return {
    tablePort: tables.port,
    blobPort: blobs.port,
    async stop() {
      await Promise.all([tables.stop(), blobs.stop()]);
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

function tableSettings(
  dataDir: string | undefined,
  port: number,
): InstanceType<typeof tableConfiguration.default> {
  const metadata = join(dataDir ?? "", "tables.json");
  return new tableConfiguration.default(
    ...([host, port, keepAliveSeconds, metadata, false, false, undefined, undefined] as const),
    ...([false, true, "", "", "", undefined, true, dataDir === undefined] as const),
  );
}

/** The newest SDK speaks a later API version than this Azurite knows, so the check of it is off. */
function blobSettings(
  dataDir: string | undefined,
  port: number,
): InstanceType<typeof blobConfiguration.default> {
  const under = (name: string): string => join(dataDir ?? "", name);
  const extents = [{ locationId: "Default", locationPath: under("blobs"), maxConcurrency: 50 }];
  return new blobConfiguration.default(
    ...([host, port, keepAliveSeconds, under("blobs.json"), under("blob-extents.json"), extents] as const),
    ...([false, undefined, false, undefined, false, true, "", "", "", undefined] as const),
    ...([true, dataDir === undefined] as const),
  );
}
