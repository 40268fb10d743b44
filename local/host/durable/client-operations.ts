import { randomUUID } from "node:crypto";

import { executionStarted, missing, newExecutionId } from "./consequences.ts";
import type { DurableEngine } from "./engine.ts";
import { eventType, type IncomingEvent, isFinished, type RuntimeStatus } from "./history.ts";
import type { InstanceFilter } from "./hub.ts";
import { idProblem } from "./instance-id.ts";
import { type Change, type Entity, isResting, type Orchestration } from "./instance.ts";

export interface StartRequest {
  readonly name: string;
  readonly instanceId?: string | undefined;
  /** JSON text. */
  readonly input: string | null;
  readonly version?: string | undefined;
}

export type Started =
  | { readonly kind: "started"; readonly instanceId: string }
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "running"; readonly status: RuntimeStatus };

/** Whether an instance could be told something. */
export type Told = "told" | "missing" | "finished";

/** What clients can ask of the hub. Every answer is given after the commit it speaks of. */
export class ClientOperations {
  readonly #engine: DurableEngine;

  constructor(engine: DurableEngine) {
    this.#engine = engine;
  }

  async start({ name, instanceId, input, version }: StartRequest): Promise<Started> {
    const fn = this.#engine.orchestrator(name);
    if (fn === undefined)
      return { kind: "invalid", message: missing("orchestrator", name, this.#engine).message };
    const id = instanceId ?? randomUUID().replaceAll("-", "");
    const problem = idProblem(id);
    if (problem !== undefined) return { kind: "invalid", message: problem };
    const existing = this.orchestration(id);
    if (existing !== undefined && !isFinished(existing.status)) {
      return { kind: "running", status: existing.status };
    }
    const now = this.#engine.now();
    const at = new Date(now).toISOString();
    await this.#engine.commit([
      {
        do: "create",
        id,
        executionId: newExecutionId(),
        started: executionStarted(fn.name, input, version ?? this.#engine.defaultVersion ?? null, at),
        parent: null,
        at: now,
      },
    ]);
    return { kind: "started", instanceId: id };
  }

  orchestration(id: string): Orchestration | undefined {
    const found = this.#engine.hub.get(id);
    return found?.kind === "orchestration" ? found : undefined;
  }

  entity(id: string): Entity | undefined {
    const found = this.#engine.hub.get(id);
    return found?.kind === "entity" && found.exists ? found : undefined;
  }

  list(filter: InstanceFilter, limit: number, after?: { id: string; createdTime: number }) {
    return this.#engine.hub.list(filter, limit, after);
  }

  async raiseEvent(id: string, name: string, input: string): Promise<Told> {
    return this.#tell(id, {
      EventType: eventType.EventRaised,
      ...this.#stamp(),
      Name: name,
      Input: input,
    });
  }

  async control(id: string, control: "terminate" | "suspend" | "resume", reason: string): Promise<Told> {
    const type = {
      terminate: eventType.ExecutionTerminated,
      suspend: eventType.ExecutionSuspended,
      resume: eventType.ExecutionResumed,
    }[control];
    return this.#tell(id, { EventType: type, ...this.#stamp(), Reason: reason });
  }

  /** Starts a finished or running orchestration's function again, with the input it had. */
  async restart(id: string, withNewId: boolean): Promise<Started | { readonly kind: "missing" }> {
    const found = this.orchestration(id);
    if (found === undefined) return { kind: "missing" };
    return this.start({
      name: found.name,
      instanceId: withNewId ? undefined : id,
      input: found.input,
      version: found.version ?? undefined,
    });
  }

  /** Only what has finished can be purged, and an entity only while it rests. */
  async purge(id: string): Promise<boolean> {
    const found = this.orchestration(id);
    const entity = this.entity(id);
    const over = entity === undefined ? found && isFinished(found.status) : isResting(entity);
    if (over !== true) return false;
    await this.#engine.commit([{ do: "purge", id }]);
    return true;
  }

  async purgeAll(filter: InstanceFilter): Promise<number> {
    const statuses = (filter.statuses ?? ["Completed", "Failed", "Terminated"]).filter(isFinished);
    const page = 1000;
    let purged = 0;
    for (;;) {
      const found = this.list({ ...filter, statuses, kind: "orchestration" }, page);
      if (found.length === 0) return purged;
      await this.#engine.commit(found.map(({ id }): Change => ({ do: "purge", id })));
      purged += found.length;
    }
  }

  async signalEntity(id: string, op: string, input: string | null): Promise<void> {
    const request = {
      kind: "op",
      op,
      input,
      signal: true,
      id: randomUUID(),
      parent: null,
      parentExecution: null,
    };
    await this.#engine.commit([
      { do: "ask", id, request: { ...request, kind: "op" }, at: this.#engine.now() },
    ]);
  }

  async #tell(id: string, event: IncomingEvent): Promise<Told> {
    const found = this.orchestration(id);
    if (found === undefined) return "missing";
    if (isFinished(found.status)) return "finished";
    await this.#engine.commit([{ do: "post", id, event, executionId: null }]);
    return "told";
  }

  #stamp() {
    return { EventId: -1, Timestamp: new Date(this.#engine.now()).toISOString() };
  }
}
