import type { Dispatcher } from "undici";

import type { OutboundClient } from "./client.ts";
import { SendError } from "./send-error.ts";

export interface OutboundRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface OutboundAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** The body went on beyond what is read, or broke off. */
  readonly cut: boolean;
}

/** Enough for every id an answer may hold; a vendor that sends gigabytes fills no memory. */
const maxBodyBytes = 256 * 1024;

/**
 * Sends once and follows no redirect: a 3xx is an answer. Throws a `SendError` when there is no answer, which says
 * whether the request may have arrived all the same. The status line is the answer: a body that breaks off, or drips
 * on when the time is over, does not undo what the vendor has said.
 */
export async function sendRequest(
  client: OutboundClient,
  request: OutboundRequest,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<OutboundAnswer> {
  const refusal = client.guard.refuseUrl(request.url);
  if (refusal !== undefined) throw new SendError(refusal, false);
  const agent = await client.agent();
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(timeoutMs, resolve, reject);
    try {
      agent.dispatch(
        {
          origin: request.url.origin,
          path: request.url.pathname + request.url.search,
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
          // The exchange has one deadline for everything; undici's would only be a second opinion.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        exchange,
      );
    } catch (error) {
      exchange.fail(error);
    }
  });
}

/** One request and what comes back, as undici reports it. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: OutboundAnswer) => void;
  readonly #reject: (error: SendError) => void;
  readonly #deadline: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Pick<OutboundAnswer, "status" | "headers"> | undefined;
  #over = false;

  constructor(
    timeoutMs: number,
    resolve: (answer: OutboundAnswer) => void,
    reject: (error: SendError) => void,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = setTimeout(() => this.#stop(new TimeoutError()), timeoutMs);
  }

  /** undici calls this with a connection at hand, before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) controller.abort(new TimeoutError());
    else this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Readonly<Record<string, unknown>>): void {
    if (status < 200) return;
    this.#head = { status, headers: flat(headers) };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > maxBodyBytes)
      this.#stop(new Error("The answer is longer than what is read."), controller);
  }

  onResponseEnd(): void {
    this.#answer(false);
  }

  onResponseError(_: unknown, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    if (this.#head !== undefined) this.#answer(true);
    else if (this.#ends()) {
      this.#reject(new SendError(codeOf(error), this.#controller !== undefined, { cause: error }));
    }
  }

  #stop(reason: Error, controller = this.#controller): void {
    this.fail(reason);
    controller?.abort(reason);
  }

  #answer(cut: boolean): void {
    if (this.#head === undefined || !this.#ends()) return;
    const bodyText = Buffer.concat(this.#chunks).subarray(0, maxBodyBytes).toString("utf8");
    this.#resolve({ ...this.#head, bodyText, cut });
  }

  #ends(): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#deadline);
    return true;
  }
}

class TimeoutError extends Error {
  readonly code = "TIMEOUT";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN";
}

function flat(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : String(value),
    ]),
  );
}
