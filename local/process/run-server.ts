import { messageOf, StartError, stackOf } from "../start-error.ts";

export interface RunningServer {
  /** One line for the person who started it. */
  readonly line: string;
  /** The same for a parent process. */
  readonly ready: Readonly<Record<string, string | number>>;
  stop(): Promise<void>;
}

/** What a server that runs as a child tells its parent. */
export type ChildMessage =
  | ({ readonly kind: "ready" } & RunningServer["ready"])
  | { readonly kind: "refused"; readonly message: string };

/**
 * The life of a server in its own process: it starts, says so in one line and to its parent, and closes on SIGTERM,
 * on SIGINT, and when its parent is gone however that ended. A start that fails is one readable line and exit code 1.
 */
export async function runServer(
  usage: string,
  start: (argv: readonly string[]) => Promise<RunningServer>,
): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(usage);
    return;
  }
  // Before the start, so that a signal during it is not lost.
  const asked = askedToEnd();
  let server: RunningServer;
  try {
    server = await start(argv);
  } catch (error) {
    const message = error instanceof StartError ? messageOf(error) : stackOf(error);
    if (process.send) await tell({ kind: "refused", message });
    else console.error(message);
    process.exit(1);
  }
  console.log(server.line);
  if (process.send) await tell({ kind: "ready", ...server.ready });
  await asked;
  await server.stop();
  process.exit(0);
}

function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["SIGTERM", "SIGINT", "disconnect"]) process.on(event, () => resolve());
  });
}

/** A parent that is gone needs no telling. */
function tell(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}
