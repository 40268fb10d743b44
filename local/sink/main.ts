import { runServer } from "../process/run-server.ts";
import { readSinkCommand, usage } from "./command-line.ts";
import { startSink } from "./sink.ts";

await runServer(usage, async (argv) => {
  const command = readSinkCommand(argv);
  const sink = await startSink({ ...command, print: (text) => console.log(text) });
  return {
    line: `The sink takes requests at ${sink.url}; Ctrl-C ends it`,
    ready: { url: sink.url },
    stop: () => sink.stop(),
  };
});
