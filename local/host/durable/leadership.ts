import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

import { listensAlone, lockFile, vanishingName } from "../../process/kernel-lock.ts";

/**
 * Of the hosts that share a data folder one leads: it alone writes the task hub and runs timers. The
 * others know where it listens, hand durable calls on to it, and one of them takes over the moment it is gone.
 *
 * The lock is one that the operating system takes back however the process ends, and it is a socket as well: it tells the
 * others where the leader answers, and its closing tells them to try again, so nobody polls.
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
  // Where names stay behind, a file says whose the socket is, and whoever has it may clear the old one away.
  const guarded = vanishingName("hub", dir) === undefined;
  const unlock = guarded ? lockFile(join(dir, "lock")) : () => {};
  if (unlock === undefined) return undefined;
  const path = socketPath(dir);
  if (guarded) rmSync(path, { force: true });
  const followers = new Set<Socket>();
  const server = createServer((socket) => {
    followers.add(socket);
    socket.on("error", () => {}).on("close", () => followers.delete(socket));
    socket.unref();
    socket.write(`${url}\n`);
  }).unref();
  if (!(await listensAlone(server, path))) return undefined;
  return () => {
    server.close();
    for (const socket of followers) socket.destroy();
    unlock();
  };
}

function socketPath(dir: string): string {
  return vanishingName("hub", dir) ?? join(dir, "leader.sock");
}
