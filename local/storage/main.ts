import { readStorageCommand, usage } from "./command-line.ts";
import { hostAzurite } from "./host-azurite.ts";
import { runServer } from "./run-server.ts";

await runServer(usage, async (argv) => {
  const { dataDir, tablePort, blobPort } = readStorageCommand(argv);
  const azurite = await hostAzurite(dataDir, tablePort, blobPort);
  return {
    line: `Tables listen on http://127.0.0.1:${azurite.tablePort}, blobs on http://127.0.0.1:${azurite.blobPort}, kept in ${dataDir ?? "memory"}`,
    ready: { tablePort: azurite.tablePort, blobPort: azurite.blobPort },
    stop: () => azurite.stop(),
  };
});
