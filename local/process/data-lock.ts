import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";

import { StartError } from "../host/start-error.ts";

/**
 * Makes this process the only one that writes `path`; the function it answers with gives that up. Two servers on one
 * file would each overwrite what the other acknowledged. The lock is the kind the operating system takes back however
 * the process ends: the name of a socket on Linux, of a pipe on Windows, elsewhere a lock on a file beside it.
 */
export async function lockData(path: string): Promise<() => void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const real = join(realpathSync(dirname(path)), basename(path));
  const release = process.platform === "linux" || process.platform === "win32" ? byName(real) : byFile(real);
  return (await release) ?? refuse(path);
}

function refuse(path: string): never {
  throw new StartError(
    `${path} is in use by another server; stop that one or choose another place for the data`,
  );
}

function byName(path: string): Promise<(() => void) | undefined> {
  const name = `interlock-data-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  const server: Server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(process.platform === "win32" ? `\\\\.\\pipe\\${name}` : `\0${name}`, () =>
      resolve(() => void server.close()),
    );
  });
}

/** BSD systems lock a file as they open it. */
function byFile(path: string): (() => void) | undefined {
  const [readWrite, create, nonBlocking, exclusiveLock] = [0x2, 0x200, 0x4, 0x20];
  try {
    const handle = openSync(`${path}.lock`, readWrite | create | nonBlocking | exclusiveLock, 0o600);
    return () => closeSync(handle);
  } catch {
    return undefined;
  }
}
