import type { Server } from "node:net";

import { messageOf, StartError } from "../start-error.ts";

/** Listens and answers with the port; a port that cannot be had is something a person can mend. */
export function listenOn(server: Server, host: string, port: number, what: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => reject(portError(error, what, host, port));
    server.once("error", refuse);
    server.listen(port, host, () => {
      server.off("error", refuse);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

function portError(error: Error, what: string, host: string, port: number): StartError {
  const taken = "code" in error && error.code === "EADDRINUSE";
  const why = taken ? "it is taken; stop what uses it or choose another" : messageOf(error);
  return new StartError(`${what} cannot listen on ${host}:${port}: ${why}`, { cause: error });
}
