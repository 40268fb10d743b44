import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { flagProblem } from "../process/flags.ts";

/** What was typed, in the words people know from func. */
export interface StartCommand {
  readonly scriptRoot: string;
  readonly port: number | undefined;
  readonly address: string | undefined;
  readonly dataDir: string;
  readonly verbose: boolean;
  readonly json: boolean;
}

export type Command =
  | { readonly kind: "start"; readonly start: StartCommand }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

export const usage = `Runs an Azure Functions app (Node, programming model v4) without func.

Usage: npm run host -- start [options]

  --script-root DIR   the app's folder, with package.json and host.json   (this folder)
  --port, -p N        where to listen; 0 for any free port                (local.settings.json, or 7071)
  --address HOST      the address to listen on                            (127.0.0.1)
  --data DIR          where orchestrations and timers are kept            (.interlock/host in the app's folder)
  --verbose           debug log, and stacks of start errors
  --json              one JSON object a line instead of readable text
  --help, -h          this text
`;

const options = {
  "script-root": { type: "string" },
  port: { type: "string", short: "p" },
  address: { type: "string" },
  data: { type: "string" },
  verbose: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export function readCommand(argv: readonly string[]): Command {
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    return { kind: "wrong", message: flagProblem(error) };
  }
  const { values, positionals } = parsed;
  if (values.help === true || positionals[0] === "help") return { kind: "help" };
  const [word = "start", ...rest] = positionals[0] === "host" ? positionals.slice(1) : positionals;
  if (word !== "start" || rest.length > 0) {
    return { kind: "wrong", message: `Unknown command '${positionals.join(" ")}'` };
  }
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536)) {
    return { kind: "wrong", message: `--port takes a number from 0 to 65535, not '${values.port}'` };
  }
  const scriptRoot = resolve(values["script-root"] ?? ".");
  return {
    kind: "start",
    start: {
      scriptRoot,
      port,
      address: values.address,
      dataDir: resolve(scriptRoot, values.data ?? ".interlock/host"),
      verbose: values.verbose === true,
      json: values.json === true,
    },
  };
}
