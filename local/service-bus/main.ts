import { runServer } from "../process/run-server.ts";
import { readServiceBusCommand, usage } from "./command-line.ts";
import { startServiceBus } from "./server.ts";

await runServer(usage, async (argv) => {
  const options = readServiceBusCommand(argv);
  const server = await startServiceBus({ ...options, log: (line) => console.log(line) });
  const { port, adminPort } = server;
  const place = options.journalDir ?? "memory";
  return {
    line: `Service Bus is ready, AMQP on ${options.host}:${port}, administration on ${options.host}:${adminPort}, kept in ${place}`,
    ready: { port, adminPort },
    stop: () => server.stop(),
  };
});
