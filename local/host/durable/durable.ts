import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

import type { HostContext, HttpMount } from "../host-context.ts";
import type { TypedData } from "../worker/typed-data.ts";
import { createClientApi } from "./client-api.ts";
import { durableClientBinding, rpcPath, webhookPath } from "./client-binding.ts";
import { ClientOperations } from "./client-operations.ts";
import { DurableEngine } from "./engine.ts";
import { isFinished } from "./history.ts";
import { TaskHub } from "./hub.ts";
import type { Instance } from "./instance.ts";
import type { JournalOptions } from "./journal.ts";
import { forward, unavailable } from "./standby.ts";

export interface DurableOptions extends JournalOptions {
  /** The hub cannot be written any more: nothing that follows would be true. */
  readonly onFatal: (error: unknown) => void;
}

/**
 * Durable Functions in this host: the engine while the host leads, and the client's HTTP API always, which a
 * host that follows hands on to the one that leads.
 */
export class Durable {
  readonly mounts: readonly HttpMount[];
  readonly #context: HostContext;
  readonly #options: DurableOptions;
  #url = "";
  #leaderUrl: () => string | undefined = () => undefined;
  #engine: DurableEngine | undefined;
  #apis: readonly HttpMount[] = [];

  constructor(context: HostContext, options: DurableOptions) {
    this.#context = context;
    this.#options = options;
    this.mounts = [webhookPath, rpcPath].map((prefix, index) => ({
      prefix,
      handle: (request, response) => this.#handle(index, request, response),
    }));
  }

  /** The server listens: from now on the client binding can be handed out. */
  announce(url: string, leaderUrl: () => string | undefined): void {
    this.#url = url;
    this.#leaderUrl = leaderUrl;
  }

  /** This host leads: the hub is its own from here on. */
  async lead(): Promise<void> {
    const { hostSettings, dataDir } = this.#context;
    const dir = dataDir === undefined ? undefined : join(dataDir, "hub", hostSettings.durable.hubName);
    const hub = await TaskHub.open(dir, this.#options);
    const engine = new DurableEngine(hub, this.#context, this.#options.onFatal);
    const operations = new ClientOperations(engine);
    this.#engine = engine;
    this.#apis = [webhookPath, rpcPath].map((prefix) =>
      createClientApi({
        prefix,
        url: () => this.#url,
        operations,
        finished: (id, withinMs) => this.#finished(id, withinMs),
      }),
    );
    this.operations = operations;
    engine.start();
  }

  /** Undefined while another host leads. */
  operations: ClientOperations | undefined;

  clientBinding(): TypedData {
    return durableClientBinding({ url: this.#url, hubName: this.#context.hostSettings.durable.hubName });
  }

  async waitFor(
    id: string,
    wanted: (instance: Instance | undefined) => boolean,
  ): Promise<Instance | undefined> {
    if (this.#engine === undefined) throw new Error("Another host leads: ask that one");
    return this.#engine.waitFor(id, wanted);
  }

  async idle(): Promise<void> {
    await this.#engine?.idle();
  }

  async stop(): Promise<void> {
    await this.#engine?.stop();
  }

  async #handle(index: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const api = this.#apis[index];
    if (api !== undefined) return api.handle(request, response);
    const leader = this.#leaderUrl();
    if (leader === undefined || leader === this.#url) return unavailable(response);
    return forward(leader, request, response);
  }

  async #finished(id: string, withinMs: number): Promise<boolean> {
    const done = (instance: Instance | undefined): boolean =>
      instance?.kind !== "orchestration" || isFinished(instance.status);
    let cancel = (): void => {};
    const late = new Promise<false>((resolve) => {
      cancel = this.#context.clock.at(this.#context.clock.now() + withinMs, () => resolve(false));
    });
    const inTime = await Promise.race([this.waitFor(id, done).then(() => true), late]);
    cancel();
    return inTime;
  }
}
