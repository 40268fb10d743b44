import { type ChildProcess, fork } from "node:child_process";

import type { StartCommand } from "./command-line.ts";
import { workerMemory } from "./worker-memory.ts";

export type ChildMessage =
  | { readonly kind: "ready"; readonly port: number }
  /** It cannot start, and would not a second time. */
  | { readonly kind: "refused" };

const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** An app that ran this long was not failing at its start. */
const healthyAfterMs = 30_000;

/**
 * Keeps the process with the app running: one that dies is replaced, at once at first and more slowly when it
 * keeps dying. Resolves with the exit code when it was asked to end or cannot start.
 */
export function supervise(script: URL, start: StartCommand, say: (line: string) => void): Promise<number> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    let asked = 0;
    let pause = firstPauseMs;
    let port = start.port;

    const begin = (): void => {
      const startedAt = Date.now();
      let refused = false;
      child = fork(script, childArguments({ ...start, port }), {
        stdio: ["ignore", "inherit", "inherit", "ipc"],
        execArgv: [...process.execArgv, ...workerMemory],
      });
      child.on("message", (message: ChildMessage) => {
        // Clients know the address by now, so a replacement keeps it.
        if (message.kind === "ready") ({ port } = message);
        refused = message.kind === "refused";
      });
      child.on("exit", (code, signal) => {
        if (asked > 0) return resolve(signal === null ? (code ?? 0) : 1);
        if (refused) return resolve(code ?? 1);
        if (Date.now() - startedAt > healthyAfterMs) pause = firstPauseMs;
        say(`The host ended (${signal ?? `exit code ${code}`}) and is started again in ${pause} ms`);
        setTimeout(begin, pause);
        pause = Math.min(pause * 2, longestPauseMs);
      });
    };

    const end = (): void => {
      asked += 1;
      if (child.exitCode !== null || child.signalCode !== null) return resolve(0);
      child.kill(asked === 1 ? "SIGTERM" : "SIGKILL");
    };
    process.on("SIGTERM", end);
    process.on("SIGINT", end);
    begin();
  });
}

function childArguments({ scriptRoot, port, address, dataDir, verbose, json }: StartCommand): string[] {
  return [
    "start",
    `--script-root=${scriptRoot}`,
    `--data=${dataDir}`,
    ...(port === undefined ? [] : [`--port=${port}`]),
    ...(address === undefined ? [] : [`--address=${address}`]),
    ...(verbose ? ["--verbose"] : []),
    ...(json ? ["--json"] : []),
  ];
}
