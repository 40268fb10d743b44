import { rmSync } from "node:fs";
import { join } from "node:path";

import { readCommand, usage, type StackCommand } from "./stack/command-line.ts";
import { screen } from "./stack/screen.ts";
import { startStack, type Stack } from "./stack/stack.ts";

const root = join(import.meta.dirname, "../..");

const command = readCommand(process.argv.slice(2), root);
if (command.kind === "help") process.stdout.write(usage);
else if (command.kind === "wrong") {
  process.stderr.write(`${command.message}. Try: npm start -- --help\n`);
  process.exitCode = 2;
} else await run(command.start);

async function run(start: StackCommand): Promise<void> {
  const { quiet, json, dataDir } = start;
  const say = (part: string, message: string): void => {
    if (json) console.log(JSON.stringify({ time: new Date().toISOString(), part, message }));
    else console.log(message);
  };
  const began = performance.now();
  if (start.reset) rmSync(dataDir, { recursive: true, force: true });
  let stack: Stack;
  try {
    stack = await startStack({
      ...start,
      root,
      events: {
        onOutput: (part, text) => {
          if (!quiet) process.stdout.write(json || part.startsWith("host") ? text : "");
        },
        onReady: (part, tookMs) => {
          if (!quiet) say(part, `${part} is ready after ${tookMs.toFixed(0)} ms`);
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

  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    if (!quiet) say("stack", "Stopping: waiting for what runs to end (once more to stop at once)");
    void stack.stop().then(() => process.exit(0));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}
