import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

/**
 * Of the hosts that share a data folder one leads: it alone writes the task hub and runs timers. The
 * others know where it listens, hand durable calls on to it, and one of them takes over the moment it is gone.
 *
 * The lock is one that the operating system gives back however the process ends: the name of a socket on Linux and
 * of a pipe on Windows; elsewhere a lock on a file guards a socket in the folder. A socket to the leader
 * that closes is the signal to try again, so nobody polls.
 */
export class Leadership {
  readonly #dir: string;
  readonly #url: string;
  #leaderUrl: string | undefined;
  #release: (() => void) | undefined;
  #stopped = false;
  #waiting: (() => void) | undefined;

  /** `url` is where this host answers; the others are told it once it leads. */
  constructor(dir: string, url: string) {
    mkdirSync(dir, { recursive: true });
    this.#dir = realpathSync(dir);
    this.#url = url;
  }

  /** Where the leading host answers; undefined while nobody is known to lead. */
  get leaderUrl(): string | undefined {
    return this.#leaderUrl;
  }

  /** Resolves with true when this host leads, with false when it was stopped before it did. */
  async lead(onFollow: (leaderUrl: string) => void = () => {}): Promise<boolean> {
    while (!this.#stopped) {
      const release = await tryLock(this.#dir, this.#url);
      if (release !== undefined && this.#stopped) {
        release();
        return false;
      }
      if (release !== undefined) {
        this.#release = release;
        this.#leaderUrl = this.#url;
        return true;
      }
      await this.#follow(onFollow);
    }
    return false;
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting?.();
    this.#release?.();
    this.#release = undefined;
  }

  /** Stays connected to the leader until it goes away. */
  async #follow(onFollow: (leaderUrl: string) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      const socket = connect(socketPath(this.#dir));
      this.#waiting = () => socket.destroy();
      let told = "";
      socket.setEncoding("utf8").on("data", (text: string) => {
        told += text;
        if (!told.endsWith("\n")) return;
        this.#leaderUrl = told.trim();
        onFollow(this.#leaderUrl);
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve());
    });
    this.#leaderUrl = undefined;
    // A leader that has the lock but does not listen yet refuses: give it a turn instead of spinning.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function tryLock(dir: string, url: string): Promise<(() => void) | undefined> {
  const lock = lockFile(dir);
  if (lock === "held") return undefined;
  const path = socketPath(dir);
  if (lock !== undefined) rmSync(path, { force: true });
  const followers = new Set<Socket>();
  const server = createServer((socket) => {
    followers.add(socket);
    socket.on("error", () => {}).on("close", () => followers.delete(socket));
    socket.unref();
    socket.write(`${url}\n`);
  });
  if (!(await listens(server, path))) return undefined;
  server.unref();
  return () => {
    server.close();
    for (const socket of followers) socket.destroy();
    if (lock !== undefined) closeSync(lock);
  };
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve(true));
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    server.listen(path);
  });
}

/** BSD systems lock a file as they open it; Linux and Windows need none, their names vanish with the process. */
function lockFile(dir: string): number | "held" | undefined {
  if (process.platform === "linux" || process.platform === "win32") return undefined;
  const [readWrite, create, nonBlocking, exclusiveLock] = [0x2, 0x200, 0x4, 0x20];
  try {
    return openSync(join(dir, "lock"), readWrite | create | nonBlocking | exclusiveLock, 0o600);
  } catch {
    return "held";
  }
}

function socketPath(dir: string): string {
  const name = `interlock-${createHash("sha256").update(dir).digest("hex").slice(0, 32)}`;
  if (process.platform === "linux") return `\0${name}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${name}`;
  return join(dir, "leader.sock");
}
