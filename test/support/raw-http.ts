import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection on which a test says exactly what it wants to say. */
export class RawConnection {
  readonly socket: Socket;
  #received = "";
  #waiting: (() => void)[] = [];

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.setEncoding("latin1");
    const wake = (): void => {
      for (const each of this.#waiting.splice(0)) each();
    };
    this.socket.on("error", () => {});
    this.socket.on("close", wake);
    this.socket.on("data", (text: string) => {
      this.#received += text;
      wake();
    });
  }

  async opened(): Promise<this> {
    if (this.socket.connecting) await once(this.socket, "connect");
    return this;
  }

  send(...lines: readonly string[]): void {
    this.socket.write(lines.join("\r\n"));
  }

  /** Resolves with everything received once it contains `text`, or when the other side has closed. */
  async until(text: string): Promise<string> {
    while (!this.#received.includes(text) && !this.socket.closed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#received;
  }

  async closed(): Promise<string> {
    if (!this.socket.closed) await once(this.socket, "close");
    return this.#received;
  }
}
