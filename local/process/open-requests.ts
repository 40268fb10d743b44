import type { Server } from "node:http";

/** A client that is still sending after this long is cut off; it has been promised nothing. */
const longestDrainMs = 5000;

/**
 * Knows which requests of a server are under way, so that it can close without breaking a promise: what has been
 * asked is answered, what comes later finds the connection reset, and nothing is acknowledged after `drain`.
 */
export class OpenRequests {
  readonly #server: Server;
  #count = 0;
  #whenNone: (() => void) | undefined;

  constructor(server: Server) {
    this.#server = server;
    server.on("request", (_request, response) => {
      this.#count += 1;
      response.once("close", () => {
        this.#count -= 1;
        if (this.#count === 0) this.#whenNone?.();
      });
    });
  }

  /** Resolves when the server has answered everything and has let go of its port. */
  async drain(): Promise<void> {
    const server = this.#server;
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    server.removeAllListeners("request");
    server.on("request", (_request, response) => response.destroy());
    if (this.#count > 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, longestDrainMs);
        this.#whenNone = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
    server.closeAllConnections();
    await closed;
  }
}
