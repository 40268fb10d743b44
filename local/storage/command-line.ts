import { resolve } from "node:path";

import { StartError } from "../start-error.ts";
import { readFlags, readPort } from "../process/flags.ts";
import type { HostOptions, StoragePorts } from "./host-azurite.ts";

const defaults: StoragePorts = { blobs: 10_000, queues: 10_001, tables: 10_002 };

export const usage = `Runs Azurite's Blob, Queue and Table Storage in one process that saves as it ends.

  --blob-port N    where blobs listen on 127.0.0.1; 0 for any free port    (${defaults.blobs})
  --queue-port N   where queues listen                                     (${defaults.queues})
  --table-port N   where tables listen                                     (${defaults.tables})
  --data DIR       where everything is kept
  --memory         keep nothing; either this or --data
  --plain-tables   Azurite's tables as they come, without index and journal
`;

export function readStorageCommand(argv: readonly string[]): HostOptions {
  const flags = readFlags(argv, {
    "blob-port": { type: "string" },
    "queue-port": { type: "string" },
    "table-port": { type: "string" },
    data: { type: "string" },
    memory: { type: "boolean" },
    "plain-tables": { type: "boolean" },
  });
  if ((flags.data === undefined) === (flags.memory !== true)) {
    throw new StartError("Say where to keep the data: either --data DIR or --memory. Try --help");
  }
  return {
    ports: {
      blobs: readPort("--blob-port", flags["blob-port"] ?? String(defaults.blobs)),
      queues: readPort("--queue-port", flags["queue-port"] ?? String(defaults.queues)),
      tables: readPort("--table-port", flags["table-port"] ?? String(defaults.tables)),
    },
    dataDir: flags.data === undefined ? undefined : resolve(flags.data),
    plainTables: flags["plain-tables"] === true,
  };
}
