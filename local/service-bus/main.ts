import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { ConfigError, readConfig } from "./config/read-config.ts";
import { startServiceBus, type ServiceBusOptions } from "./server.ts";

/** A start that cannot succeed, in words for the person at the terminal. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

function readOptions(args: readonly string[]): ServiceBusOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: "5672" },
      "admin-port": { type: "string", default: "5300" },
      config: { type: "string" },
      data: { type: "string" },
      durability: { type: "string", default: "process" },
      "sas-key": { type: "string" },
    },
  });
  if (values.config === undefined) throw new UsageError("--config FILE is missing");
  if (values.durability !== "process" && values.durability !== "power") {
    throw new UsageError('--durability must be "process" or "power"');
  }
  return {
    host: values.host,
    port: portNumber("--port", values.port),
    adminPort: portNumber("--admin-port", values["admin-port"]),
    config: configFile(values.config),
    durability: values.durability,
    log: (line) => console.log(`service-bus: ${line}`),
    ...(values.data === undefined ? {} : { journalDir: values.data }),
    ...(values["sas-key"] === undefined ? {} : { sasKey: values["sas-key"] }),
  };
}

function portNumber(flag: string, text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`${flag} must be a port number`);
  return port;
}

function configFile(path: string): ServiceBusOptions["config"] {
  try {
    return readConfig(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(`${path}: ${error.message}`);
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** One line for what can go wrong at the start; anything else keeps its own words. */
function explain(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE" && "port" in error) {
    return `port ${String(error.port)} is taken`;
  }
  return error instanceof Error ? error.message : String(error);
}

try {
  const options = readOptions(process.argv.slice(2));
  const server = await startServiceBus(options);
  console.log(
    `service-bus: ready, AMQP on ${options.host}:${server.port}, administration on ${options.host}:${server.adminPort}`,
  );
  const stop = (): void => {
    void server.stop().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  process.once("disconnect", stop);
  process.send?.({ kind: "ready" });
} catch (error) {
  console.error(`service-bus: ${explain(error)}`);
  process.exitCode = 1;
}
