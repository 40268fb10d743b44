import { runServer } from "../process/run-server.ts";
import { readKeyVaultCommand, usage } from "./command-line.ts";
import { startKeyVault } from "./server.ts";

await runServer(usage, async (argv) => {
  const { port, file } = readKeyVaultCommand(argv);
  const log = (line: string): void => console.error(line);
  const vault = await startKeyVault({ port, log, ...(file !== undefined && { file }) });
  return {
    line: `Key Vault listens on ${vault.url} and keeps secrets in ${file ?? "memory"}`,
    ready: { url: vault.url, port: vault.port },
    stop: () => vault.stop(),
  };
});
