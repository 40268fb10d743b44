import { resolve } from "node:path";

import { StartError } from "../host/start-error.ts";
import { readFlags, readPort } from "./flags.ts";

export interface StorageCommand {
  readonly tablePort: number;
  readonly blobPort: number;
  /** Absent when nothing is to be kept. */
  readonly dataDir: string | undefined;
}

const defaultTablePort = 10_002;
const defaultBlobPort = 10_000;

export const usage = `Runs Azurite's Table and Blob Storage in one process that saves as it ends.

  --table-port N   where tables listen on 127.0.0.1; 0 for any free port   (${defaultTablePort})
  --blob-port N    where blobs listen                                      (${defaultBlobPort})
  --data DIR       where everything is kept
  --memory         keep nothing; either this or --data
`;

export function readStorageCommand(argv: readonly string[]): StorageCommand {
  const flags = readFlags(argv, {
    "table-port": { type: "string" },
    "blob-port": { type: "string" },
    data: { type: "string" },
    memory: { type: "boolean" },
  });
  const tablePort = flags["table-port"];
  const blobPort = flags["blob-port"];
  if ((flags.data === undefined) === (flags.memory !== true)) {
    throw new StartError("Say where to keep the data: either --data DIR or --memory. Try --help");
  }
  return {
    tablePort: tablePort === undefined ? defaultTablePort : readPort("--table-port", tablePort),
    blobPort: blobPort === undefined ? defaultBlobPort : readPort("--blob-port", blobPort),
    dataDir: flags.data === undefined ? undefined : resolve(flags.data),
  };
}
