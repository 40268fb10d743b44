import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import type { Server } from "node:net";

/**
 * Locks that the operating system takes back however a process ends. On Linux and Windows it is a name that only one
 * process can listen on; elsewhere, where such names stay behind, it is a lock on a file.
 */

/** A name that goes with the process that listens on it; undefined where there is no such thing. */
export function vanishingName(purpose: string, path: string): string | undefined {
  const name = `interlock-${purpose}-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  if (process.platform === "linux") return `\0${name}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${name}`;
  return undefined;
}

/** BSD systems lock a file as they open it; undefined when another process has it. */
export function lockFile(path: string): (() => void) | undefined {
  const [readWrite, create, nonBlocking, exclusiveLock] = [0x2, 0x200, 0x4, 0x20];
  try {
    const handle = openSync(path, readWrite | create | nonBlocking | exclusiveLock, 0o600);
    return () => closeSync(handle);
  } catch {
    return undefined;
  }
}

/** Whether the server got the name or path; false when another process listens on it. */
export function listensAlone(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve(true));
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    server.listen(path);
  });
}
