import { runServer } from "../process/run-server.ts";
import { readStorageCommand, usage } from "./command-line.ts";
import { hostAzurite } from "./host-azurite.ts";

await runServer(usage, async (argv) => {
  const command = readStorageCommand(argv);
  const { dataDir } = command;
  const azurite = await hostAzurite(command);
  const { ports } = azurite;
  const addresses = Object.entries(ports).map(([name, port]) => `${name} on http://127.0.0.1:${port}`);
  return {
    line: `Storage listens, ${addresses.join(", ")}, kept in ${dataDir ?? "memory"}`,
    ready: { ...ports },
    stop: () => azurite.stop(),
  };
});
