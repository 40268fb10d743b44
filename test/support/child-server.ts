import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

export interface ChildServer {
  readonly child: ChildProcess;
  /** Its first line; rejects when it ends without one. */
  readonly firstLine: Promise<string>;
  /** What it has printed so far. */
  readonly printed: { readonly out: string; readonly err: string };
  /** Resolves when it has ended and everything it printed has been read. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Runs a built file, such as "local/key-vault/main.js", as its own process, with or without a channel to it. */
export function startChild(built: string, args: readonly string[], channel?: "ipc"): ChildServer {
  const script = fileURLToPath(new URL(`../../dist/${built}`, import.meta.url));
  return runNode([script, ...args], channel);
}

export function runNode(args: readonly string[], channel?: "ipc"): ChildServer {
  const stdio = ["ignore", "pipe", "pipe", ...(channel ? [channel] : [])] as const;
  const child = spawn(process.execPath, args, { stdio: [...stdio] });
  const printed = { out: "", err: "" };
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  // Not the event "close": it never comes when the parent was the one to disconnect.
  const read = [child.stdout, child.stderr].map((stream) => stream && once(stream, "close"));
  const ended = Promise.all([exited, ...read]).then(([[code, signal]]) => ({ code, signal }));
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed.out += text;
      const [line, ...rest] = printed.out.split("\n");
      if (line !== undefined && rest.length > 0) resolve(line);
    });
    void ended.then(() => reject(new Error(`It ended without a line: ${printed.err}`)));
  });
  firstLine.catch(() => {});
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    printed.err += text;
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, firstLine, printed, ended };
}
