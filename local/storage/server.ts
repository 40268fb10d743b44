import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

import { StartError } from "../start-error.ts";
import type { ChildMessage } from "../process/run-server.ts";
import { accountUrl, connectionStringOf, type StorageUrls } from "./connection-string.ts";

export interface StorageOptions {
  /** Where tables and blobs survive a clean stop; without it they live in memory. */
  readonly dataDir?: string;
  /** 0, or nothing, takes a free port. */
  readonly blobPort?: number;
  readonly queuePort?: number;
  readonly tablePort?: number;
  /** Azurite's tables as they come, without index and journal. */
  readonly plainTables?: boolean;
}

export interface StorageExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** False when nobody called `stop`. */
  readonly asked: boolean;
}

export interface StorageServer extends StorageUrls {
  readonly connectionString: string;
  readonly pid: number;
  /** Called once, when the process has ended, also if it already has. */
  onExit(listener: (exit: StorageExit) => void): void;
  /** Resolves when everything acknowledged is saved and the process has ended. */
  stop(): Promise<void>;
}

/** Run from its sources, as tests do, this forks the built file all the same: Node cannot run the other. */
const script = new URL(
  import.meta.url.endsWith(".ts") ? "../../dist/local/storage/main.js" : "./main.js",
  import.meta.url,
);

/**
 * Runs tables and blobs in a process of their own: Azurite's pauses stay out of ours, and since the child closes when
 * its channel to us does, nothing acknowledged is lost when we are killed.
 */
export async function startStorage(options: StorageOptions = {}): Promise<StorageServer> {
  const { dataDir, blobPort = 0, queuePort = 0, tablePort = 0, plainTables = false } = options;
  const args = [
    `--blob-port=${blobPort}`,
    `--queue-port=${queuePort}`,
    `--table-port=${tablePort}`,
    dataDir === undefined ? "--memory" : `--data=${dataDir}`,
    ...(plainTables ? ["--plain-tables"] : []),
  ];
  const child = fork(script, args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: withoutAccounts(),
    execArgv: [],
  });
  let asked = false;
  const exited = new Promise<StorageExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal, asked }));
  });
  const urls = await readyUrls(child, exited);
  return {
    ...urls,
    connectionString: connectionStringOf(urls),
    pid: child.pid ?? 0,
    onExit: (listener) => void exited.then(listener),
    async stop() {
      asked = true;
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

async function readyUrls(child: ChildProcess, exited: Promise<StorageExit>): Promise<StorageUrls> {
  const early = exited.then(({ code, signal }): never => {
    throw new StartError(`Azurite ended before it was ready (${signal ?? `exit code ${code}`})`);
  });
  const first = once(child, "message").then(([message]: ChildMessage[]) => message);
  const message = await Promise.race([first, early]);
  if (message?.kind !== "ready") {
    await exited;
    throw new StartError(message?.message ?? "Azurite did not say why it cannot start");
  }
  const { blobs, queues, tables } = message;
  return {
    blobUrl: accountUrl(Number(blobs)),
    queueUrl: accountUrl(Number(queues)),
    tableUrl: accountUrl(Number(tables)),
  };
}

/** Azurite would take other accounts from the environment, and our connection string would not open them. */
function withoutAccounts(): NodeJS.ProcessEnv {
  const { AZURITE_ACCOUNTS: _accounts, ...environment } = process.env;
  return environment;
}
