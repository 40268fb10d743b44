import { once } from "node:events";
import { connect, type Socket } from "node:net";

const endOfHead = Buffer.from("\r\n\r\n");

/** One keep-alive connection that sends ready-made bytes and reads no more of an answer than it must. */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => this.#waiting?.reject(new Error("The server closed the connection")));
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new Connection(socket);
  }

  /** Resolves with the status when the whole answer is there. */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    if (!isWhole(this.#received)) return;
    const status = Number(this.#received.toString("latin1", 9, 12));
    this.#received = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(status);
  }
}

function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf(endOfHead);
  if (end < 0) return false;
  const head = answer.toString("latin1", 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return answer.length >= end + 4 + Number(length);
  return !/\r\ntransfer-encoding: *chunked/i.test(head) || answer.toString("latin1").endsWith("0\r\n\r\n");
}
