import { readCommand, usage } from "./command-line.ts";
import { supervise } from "./supervise.ts";

const command = readCommand(process.argv.slice(2));
switch (command.kind) {
  case "help":
    process.stdout.write(usage);
    break;
  case "wrong":
    process.stderr.write(`${command.message}. Try --help\n`);
    process.exitCode = 2;
    break;
  case "start": {
    const say = (line: string): void => void process.stderr.write(`${line}\n`);
    process.exit(await supervise(new URL("./run.js", import.meta.url), command.start, say));
  }
}
