import { join, resolve } from "node:path";

import { readFlags, readPort } from "../process/flags.ts";

export interface KeyVaultCommand {
  readonly port: number;
  /** Absent when nothing is to be kept. */
  readonly file: string | undefined;
}

export const defaultKeyVaultPort = 8200;

export const usage = `Runs a Key Vault-compatible server for secrets.

  --port N     where to listen on 127.0.0.1; 0 for any free port   (${defaultKeyVaultPort})
  --data DIR   where secrets are kept, readable by you alone       (in memory)
`;

/** Throws a `StartError` that says what to mend. */
export function readKeyVaultCommand(argv: readonly string[]): KeyVaultCommand {
  const { port, data } = readFlags(argv, { port: { type: "string" }, data: { type: "string" } });
  return {
    port: port === undefined ? defaultKeyVaultPort : readPort("--port", port),
    file: data === undefined ? undefined : join(resolve(data), "secrets.jsonl"),
  };
}
