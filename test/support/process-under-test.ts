import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";

/** A process that a test started as a user would: what it printed, and when it ended. */
export interface ProcessUnderTest {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves with the match once the output has it; fails when the process ends before. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
  /** The same for anything that can be read off the output: undefined means not yet. */
  until<T>(read: (output: string) => T | undefined): Promise<T>;
  ended(): Promise<number | null>;
  /** What Ctrl-C at a terminal does: the signal goes to the process and to all that share its terminal. */
  interrupt(): void;
}

export function startProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ProcessUnderTest {
  const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const watching = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const look of watching) look();
    });
  }
  const closed = once(child, "close").then(([code]) => {
    for (const look of watching) look();
    return code as number | null;
  });
  function until<T>(read: (output: string) => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = read(text);
        if (found === undefined && child.exitCode === null && child.signalCode === null) return;
        watching.delete(look);
        if (found === undefined) reject(new Error(`${what} is not in:\n${text}`));
        else resolve(found);
      };
      watching.add(look);
      look();
    });
  }
  return {
    child,
    output: () => text,
    ended: () => closed,
    interrupt: () => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGINT");
    },
    saw: (pattern) => until((output) => pattern.exec(output) ?? undefined, String(pattern)),
    until: (read) => until(read, "What was waited for"),
  };
}
