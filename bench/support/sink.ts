import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Takes effects at `/effects/<number>` and notes when each arrived. */
export interface Sink {
  readonly url: string;
  /** Forgets what it has seen, and looks at these numbers only. */
  readonly expect: (first: number, count: number) => void;
  readonly arrived: (number: number) => Promise<void>;
  /** Resolves when so many of the expected have arrived; fails when nothing has come for long. */
  readonly all: (count: number) => Promise<void>;
  readonly seen: () => {
    readonly arrivals: ReadonlyMap<number, number>;
    readonly lastAt: number;
    readonly repeated: number;
  };
}

const patienceMs = 30_000;

export async function startSink(): Promise<Sink> {
  let arrivals = new Map<number, number>();
  let range = { first: 0, end: 0 };
  let lastAt = 0;
  let repeated = 0;
  const waiting = new Map<number, () => void>();
  let onArrival = (): void => {};

  function arrive(number: number): void {
    if (number < range.first || number >= range.end) return;
    if (arrivals.has(number)) {
      repeated++;
      return;
    }
    lastAt = performance.now();
    arrivals.set(number, lastAt);
    waiting.get(number)?.();
    waiting.delete(number);
    onArrival();
  }

  const server = createServer((request, response) => {
    const number = Number(/^\/effects\/(\d+)/.exec(request.url ?? "")?.[1]);
    request.resume().on("end", () => {
      arrive(number);
      response.writeHead(200, { "content-type": "application/json" }).end(`{"id":"effect-${number}"}`);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    expect(first, count) {
      arrivals = new Map();
      range = { first, end: first + count };
      lastAt = performance.now();
      repeated = 0;
    },
    arrived: (number) =>
      arrivals.has(number)
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.set(number, resolve);
          }),
    all: (count) =>
      new Promise((resolve, reject) => {
        const stuck = setInterval(() => {
          if (performance.now() - lastAt < patienceMs) return;
          clearInterval(stuck);
          reject(new Error(`Only ${arrivals.size} of ${count} effects arrived`));
        }, 1000);
        onArrival = () => {
          if (arrivals.size < count) return;
          clearInterval(stuck);
          resolve();
        };
        onArrival();
      }),
    seen: () => ({ arrivals, lastAt, repeated }),
  };
}
