import { rmSync } from "node:fs";
import { join } from "node:path";

import { readCommand, type StackCommand, usage } from "./stack/command-line.ts";
import { screen } from "./stack/screen.ts";
import { type Stack, startStack } from "./stack/stack.ts";

const root = join(import.meta.dirname, "../..");

const command = readCommand(process.argv.slice(2), root);
if (command.kind === "help") process.stdout.write(usage);
else if (command.kind === "wrong") {
  process.stderr.write(`${command.message}. Try: npm start -- --help\n`);
  process.exitCode = 2;
} else await run(command.start);

async function run(start: StackCommand): Promise<void> {
  const { quiet, json, dataDir } = start;
  const began = performance.now();
  const say = (part: string, message: string): void => {
    if (json) console.log(JSON.stringify({ time: new Date().toISOString(), part, message }));
    else console.log(message);
  };
  let stack: Stack | undefined;
  let stopping = false;
  const stop = (): void => {
    // The parts end by themselves when this process is gone, so leaving at once is always possible.
    if (stopping || stack === undefined) process.exit(1);
    stopping = true;
    if (!quiet) say("stack", "Stopping: waiting for what runs to end (once more to leave at once)");
    void stack.stop().then(() => {
      if (!quiet) say("stack", "Everything is stopped");
      process.exit(0);
    });
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // Whoever read the output has gone (`npm start | head`): that ends the stack as properly as Ctrl-C does.
  process.stdout.on("error", () => {
    if (!stopping) stop();
  });

  if (start.reset) rmSync(dataDir, { recursive: true, force: true });
  try {
    stack = await startStack({
      ...start,
      root,
      events: {
        onOutput: (part, text) => {
          if (!quiet) process.stdout.write(json || part.startsWith("host") ? text : "");
        },
        onReady: (part, tookMs, pid) => {
          if (!quiet) say(part, `${part} is ready after ${tookMs.toFixed(0)} ms (pid ${pid})`);
        },
        onProvisioned: () => {
          if (!quiet) say("storage", "tables, containers and the demo tenant are in place");
        },
        onRestart: (part, why, inMs) =>
          say(part, `${part} ended (${why}) and is started again in ${inMs} ms`),
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  if (json) say("stack", `ready: ${stack.apiUrls.join(", ")}`);
  else process.stdout.write(`\n${screen(stack, dataDir, performance.now() - began)}\n`);
}
