import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { flagProblem } from "../process/flags.ts";

export interface StackCommand {
  readonly port: number;
  /** Undefined: each service where its own tools expect it. */
  readonly servicesPort: number | undefined;
  readonly dataDir: string;
  readonly reset: boolean;
  readonly hosts: number;
  readonly servicesOnly: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
}

export type Command =
  | { readonly kind: "start"; readonly start: StackCommand }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

export const usage = `Runs the whole platform on this machine: storage, Service Bus, Key Vault and the Functions host.

Usage: npm start -- [options]

  --port N             where the API listens; 0 for any free port          (7071)
  --services-port N    moves the services to N and the five ports after it; 0 for any free ones
                       (blobs, queues, tables 10000 to 10002, Service Bus 5672 and 5300, Key Vault 8200)
  --data DIR           where everything is kept                            (.interlock)
  --reset              begins empty: removes that folder first
  --hosts N            so many Functions hosts share the services          (1)
  --only services      starts no host; for func start, or a host of your own
  --quiet              the addresses and errors only
  --json               one JSON object a line instead of readable text
  --help, -h           this text
`;

const options = {
  port: { type: "string" },
  "services-port": { type: "string" },
  data: { type: "string" },
  reset: { type: "boolean" },
  hosts: { type: "string" },
  only: { type: "string" },
  quiet: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export function readCommand(argv: readonly string[], root: string): Command {
  let values;
  try {
    ({ values } = parseArgs({ args: [...argv], options }));
  } catch (error) {
    return wrong(flagProblem(error));
  }
  if (values.help === true) return { kind: "help" };
  const port = readNumber(values.port ?? "7071", 0, 65_535);
  if (port === undefined) return wrong(`--port takes a number from 0 to 65535, not '${values.port}'`);
  const servicesPort =
    values["services-port"] === undefined ? undefined : readNumber(values["services-port"], 0, 65_530);
  if (values["services-port"] !== undefined && servicesPort === undefined) {
    return wrong(`--services-port takes a number from 0 to 65530, not '${values["services-port"]}'`);
  }
  const hosts = readNumber(values.hosts ?? "1", 1, 16);
  if (hosts === undefined) return wrong(`--hosts takes a number from 1 to 16, not '${values.hosts}'`);
  if (values.only !== undefined && values.only !== "services")
    return wrong(`--only knows 'services', not '${values.only}'`);
  return {
    kind: "start",
    start: {
      port,
      servicesPort,
      dataDir: values.data === undefined ? join(root, ".interlock") : resolve(values.data),
      reset: values.reset === true,
      hosts,
      servicesOnly: values.only === "services",
      quiet: values.quiet === true,
      json: values.json === true,
    },
  };
}

function wrong(message: string): Command {
  return { kind: "wrong", message };
}

function readNumber(text: string, from: number, to: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= from && number <= to ? number : undefined;
}
