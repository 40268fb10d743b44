import { ManualClock } from "../../local/clock.ts";
import type { ClientOperations } from "../../local/host/durable/client-operations.ts";
import { type HistoryEvent, isFinished } from "../../local/host/durable/history.ts";
import type { Instance, Orchestration } from "../../local/host/durable/instance.ts";
import { createHost, type Host, type HostOptions } from "../../local/host/host.ts";
import type { LogLine } from "../../local/host/log.ts";
import { fixtureApp } from "./fixture-app.ts";

/** An orchestration as the management API shows it. */
export interface Status {
  readonly name: string;
  readonly instanceId: string;
  readonly runtimeStatus: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly customStatus: unknown;
  readonly createdTime: string;
  readonly lastUpdatedTime: string;
  readonly historyEvents?: readonly Record<string, unknown>[];
}

const webhooks = "/runtime/webhooks/durabletask";
let started = 0;

/** Ids are for one run of one file, so a number is enough to tell them apart. */
export function freshId(name: string): string {
  started += 1;
  return `${name}-${started}`;
}

/**
 * The durable fixture app in a host of this process, on a clock that the test moves. It is spoken to the way
 * the world does: through the app's own HTTP functions with their durable client, and through the management API.
 */
export class DurableHost {
  readonly host: Host;
  readonly clock: ManualClock;
  readonly lines: LogLine[];

  private constructor(host: Host, clock: ManualClock, lines: LogLine[]) {
    this.host = host;
    this.clock = clock;
    this.lines = lines;
  }

  static async open(options: Partial<HostOptions> & { clock?: ManualClock } = {}): Promise<DurableHost> {
    const lines: LogLine[] = [];
    const clock = options.clock ?? new ManualClock();
    const host = await createHost({
      scriptRoot: fixtureApp("durable"),
      port: 0,
      log: (line) => void lines.push(line),
      ...options,
      clock,
    });
    return new DurableHost(host, clock, lines);
  }

  get operations(): ClientOperations {
    const { operations } = this.host.durable;
    if (operations === undefined) throw new Error("Another host leads");
    return operations;
  }

  /** Starts an orchestration through the app's starter. */
  async start(name: string, input: unknown = null, id = freshId(name)): Promise<string> {
    const response = await fetch(`${this.host.url}/api/start/${name}/${id}`, {
      method: "POST",
      body: JSON.stringify(input),
    });
    if (response.status !== 202) throw new Error(`start: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { id: string }).id;
  }

  /** Runs an orchestration that needs neither time nor the world outside. */
  async run(name: string, input: unknown = null, id?: string): Promise<Status> {
    return this.finished(await this.start(name, input, id));
  }

  async finished(id: string): Promise<Status> {
    await this.host.waitFor(id, (found) => found?.kind === "orchestration" && isFinished(found.status));
    return this.status(id);
  }

  async status(id: string, query = ""): Promise<Status> {
    const response = await this.manage("GET", `instances/${id}?${query}`);
    if (!response.ok) throw new Error(`status of ${id}: ${response.status}`);
    return (await response.json()) as Status;
  }

  /** A request to the management API. */
  manage(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return fetch(`${this.host.url}${webhooks}/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async raise(id: string, event: string, data: unknown = null): Promise<number> {
    return (await this.manage("POST", `instances/${id}/raiseEvent/${event}`, data)).status;
  }

  /** Calls a method of the app's DurableClient; fails as the method fails. */
  async client(method: string, ...args: readonly unknown[]): Promise<unknown> {
    const response = await fetch(`${this.host.url}/api/client/${method}`, {
      method: "POST",
      body: JSON.stringify(args),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return result;
  }

  /** The instance itself, for what clients cannot see. */
  orchestration(id: string): Orchestration {
    const found = this.operations.orchestration(id);
    if (found === undefined) throw new Error(`There is no orchestration ${id}`);
    return found;
  }

  history(id: string): readonly HistoryEvent[] {
    return this.orchestration(id).history;
  }

  entity(id: string): Instance | undefined {
    return this.operations.entity(id);
  }

  async stop(): Promise<void> {
    await this.host.stop();
  }
}
