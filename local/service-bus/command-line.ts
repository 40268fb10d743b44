import { readFileSync } from "node:fs";

import { messageOf, StartError } from "../start-error.ts";
import { readFlags, readPort } from "../process/flags.ts";
import { ConfigError, readConfig } from "./config/read-config.ts";
import type { ServiceBusOptions } from "./server.ts";

export const usage = `Runs a Service Bus namespace for clients that use UseDevelopmentEmulator=true.

  --config FILE        entities, in the format of Microsoft's emulator
  --host HOST          the address to listen on                             (127.0.0.1)
  --port N             where AMQP listens; 0 for any free port              (5672)
  --admin-port N       where administration and health listen              (5300)
  --data DIR           where messages are kept; without it they live in memory
  --durability KIND    process: survives the end of the process; power: also that of the machine  (process)
  --sas-key KEY        checks tokens against this key; without it any is good
`;

export function readServiceBusCommand(argv: readonly string[]): ServiceBusOptions {
  const flags = readFlags(argv, {
    config: { type: "string" },
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "5672" },
    "admin-port": { type: "string", default: "5300" },
    data: { type: "string" },
    durability: { type: "string", default: "process" },
    "sas-key": { type: "string" },
  });
  if (flags.config === undefined) throw new StartError("--config FILE is missing. Try --help");
  if (flags.durability !== "process" && flags.durability !== "power") {
    throw new StartError(`--durability knows process and power, not '${flags.durability}'`);
  }
  return {
    host: flags.host,
    port: readPort("--port", flags.port),
    adminPort: readPort("--admin-port", flags["admin-port"]),
    config: configFile(flags.config),
    durability: flags.durability,
    ...(flags.data !== undefined && { journalDir: flags.data }),
    ...(flags["sas-key"] !== undefined && { sasKey: flags["sas-key"] }),
  };
}

function configFile(path: string): ServiceBusOptions["config"] {
  try {
    return readConfig(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof ConfigError) throw new StartError(`${path}: ${error.message}`);
    throw new StartError(`${path} cannot be read: ${messageOf(error)}`);
  }
}
