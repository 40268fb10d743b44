import { mkdirSync, realpathSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";

import { StartError } from "../start-error.ts";
import { listensAlone, lockFile, vanishingName } from "./kernel-lock.ts";

/**
 * Makes this process the only one that writes `path`; the function it answers with gives that up. Two servers on one
 * file would each overwrite what the other acknowledged.
 */
export async function lockData(path: string): Promise<() => void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const real = join(realpathSync(dirname(path)), basename(path));
  const name = vanishingName("data", real);
  const release = name === undefined ? lockFile(`${real}.lock`) : await lockName(name);
  if (release !== undefined) return release;
  throw new StartError(
    `${path} is in use by another server; stop that one or choose another place for the data`,
  );
}

async function lockName(name: string): Promise<(() => void) | undefined> {
  const server = createServer((socket) => socket.destroy()).unref();
  return (await listensAlone(server, name)) ? () => void server.close() : undefined;
}
