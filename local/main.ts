import { join } from "node:path";

import { supervise } from "./host/supervise.ts";

const scriptRoot = join(import.meta.dirname, "../..");
process.exit(
  await supervise(
    new URL("./host/run.js", import.meta.url),
    {
      scriptRoot,
      port: undefined,
      address: undefined,
      dataDir: join(scriptRoot, ".interlock/host"),
      verbose: false,
      json: false,
    },
    (line) => void process.stderr.write(`${line}\n`),
  ),
);
