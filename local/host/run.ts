import { readCommand } from "./command-line.ts";
import { describeFunctions } from "./describe-functions.ts";
import { createHost, type Host } from "./host.ts";
import { jsonSink, readableSink } from "./log.ts";
import { messageOf, stackOf, StartError } from "../start-error.ts";
import type { ChildMessage } from "./supervise.ts";

/** The process that holds the app. It may die of what the app does; the one that started it starts another. */

/** A function that ran out of time cannot be stopped, so the process is replaced, as the platform does. */
const recycleExitCode = 86;
const recycleGraceMs = 5_000;
/** A client that never reads its answer must not keep the process for ever. */
const drainLimitMs = 30_000;

const command = readCommand(process.argv.slice(2));
if (command.kind !== "start") throw new Error("This file is started by the host's command line");
const { start } = command;
const sink = start.json ? jsonSink(process.stdout) : readableSink(process.stdout);

let host: Host | undefined;
let stopping = false;

process.on("SIGTERM", () => void stop("SIGTERM"));
process.on("SIGINT", () => void stop("SIGINT"));
process.stdout.on("error", () => void stop("the end of whoever read its output"));
process.on("disconnect", () => void stop("the end of the process that started it"));
process.on("uncaughtException", (error) => die(`The app crashed: ${stackOf(error)}`, 1));

try {
  host = await createHost({
    scriptRoot: start.scriptRoot,
    dataDir: start.dataDir,
    log: sink,
    ...(start.port !== undefined && { port: start.port }),
    ...(start.address !== undefined && { address: start.address }),
    ...(start.verbose && { logLevel: "Debug" as const }),
    onTimeout: (name) => void recycle(name),
    onFatal: (error) => die(`The task hub cannot be written: ${messageOf(error)}`, 1),
  });
  if (!start.json) process.stdout.write(describeFunctions(host));
  say("Information", `Host is ready on ${host.url} (${Math.round(process.uptime() * 1000)} ms)`);
  tell({ kind: "ready", port: Number(new URL(host.url).port) });
} catch (error) {
  const message = error instanceof StartError && !start.verbose ? error.message : stackOf(error);
  if (start.json) say("Error", message);
  else process.stderr.write(`${message}\n`);
  tell({ kind: "refused" });
  process.exit(1);
}

async function stop(why: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  say("Information", `Stopping on ${why}: waiting for what runs to end`);
  setTimeout(() => die(`What runs has not ended within ${drainLimitMs / 1000} s`, 1), drainLimitMs);
  await host?.stop();
  process.exit(0);
}

/** Gives the other functions a moment to end: they cannot know that one of them hung. */
async function recycle(name: string): Promise<void> {
  say("Error", `Function '${name}' ran out of its time and cannot be stopped: the host restarts`);
  const grace = new Promise((resolve) => setTimeout(resolve, recycleGraceMs));
  await Promise.race([grace, host?.stop()]);
  process.exit(recycleExitCode);
}

function die(message: string, code: number): void {
  say("Critical", message);
  process.exit(code);
}

function say(level: "Information" | "Error" | "Critical", message: string): void {
  sink({ time: new Date().toISOString(), level, category: "Host", message });
}

function tell(message: ChildMessage): void {
  process.send?.(message);
}
