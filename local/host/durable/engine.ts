import type { HostContext } from "../host-context.ts";
import type { HostedFunction } from "../functions.ts";
import type { Invoker } from "../invoker.ts";
import type { OrchestratorState } from "./actions.ts";
import { runActivity } from "./activity.ts";
import { heardMessages, runEntityTurn } from "./entity-turn.ts";
import { runEpisode } from "./episode.ts";
import { eventType, type HistoryEvent, type IncomingEvent, isFinished } from "./history.ts";
import type { TaskHub } from "./hub.ts";
import { takeMessages } from "./inbox.ts";
import {
  type Change,
  type Instance,
  type Orchestration,
  pendingKey,
  type PendingTask,
  type PendingTimer,
} from "./instance.ts";
import { LimitedQueue } from "./limited-queue.ts";
import { callOrchestrator } from "./orchestrator-call.ts";
import { type DueTimer, TimerQueue } from "./timer-queue.ts";

interface Waiter {
  readonly wanted: (instance: Instance | undefined) => boolean;
  readonly resolve: (instance: Instance | undefined) => void;
}

interface DispatchedTask {
  readonly instanceId: string;
  readonly key: string;
  readonly task: PendingTask;
}

/**
 * Runs what the hub holds: an episode for each orchestration that has messages, a turn for each entity, the
 * activities they scheduled and the timers that fall due. Each of them ends in a commit, and only a commit on
 * disk lets anything leave: that is why the process may die at any instant.
 */
export class DurableEngine {
  readonly hub: TaskHub;
  readonly invoker: Invoker;
  readonly defaultVersion: string | undefined;
  readonly #context: HostContext;
  readonly #onFatal: (error: unknown) => void;
  readonly #functions = new Map<string, HostedFunction>();
  readonly #orchestrations: LimitedQueue<string>;
  readonly #entities: LimitedQueue<string>;
  readonly #activities: LimitedQueue<DispatchedTask>;
  readonly #timers: TimerQueue;
  /** Waiting for a turn or having one: an instance never has two at a time. */
  readonly #scheduled = new Set<string>();
  readonly #waiters = new Map<string, Set<Waiter>>();
  #commits = 0;
  #idle: (() => void)[] = [];

  constructor(hub: TaskHub, context: HostContext, onFatal: (error: unknown) => void) {
    this.hub = hub;
    this.invoker = context.invoker;
    this.defaultVersion = context.hostSettings.durable.defaultVersion;
    this.#context = context;
    this.#onFatal = onFatal;
    for (const fn of context.functions) {
      if (!fn.disabled) this.#functions.set(`${fn.triggerType}/${fn.name.toLowerCase()}`, fn);
    }
    const limits = context.hostSettings.durable;
    this.#orchestrations = new LimitedQueue(limits.maxConcurrentOrchestratorFunctions, (id) =>
      this.#turn(id),
    );
    this.#entities = new LimitedQueue(limits.maxConcurrentEntityFunctions, (id) => this.#turn(id));
    this.#activities = new LimitedQueue(limits.maxConcurrentActivityFunctions, (task) =>
      this.#activity(task),
    );
    this.#timers = new TimerQueue(
      context.clock,
      ({ instanceId, key }) => this.#pendingTimer(instanceId, key) !== undefined,
      (due) => void this.#fire(due),
    );
  }

  now(): number {
    return this.#context.clock.now();
  }

  /** Takes up whatever the hub holds: work that a crash, or a host that led before, left behind. */
  start(): void {
    for (const instance of this.hub.live()) {
      if (instance.kind === "orchestration") {
        for (const [key, task] of Object.entries(instance.tasks)) {
          this.#activities.add({ instanceId: instance.id, key, task });
        }
        for (const [key, { fireAt }] of Object.entries(instance.timers)) {
          this.#timers.add({ instanceId: instance.id, key, fireAt });
        }
      }
      this.#schedule(instance.id);
    }
    for (const queue of [this.#orchestrations, this.#entities, this.#activities]) queue.open();
  }

  /** Lets running functions end and what they did reach the disk. */
  async stop(): Promise<void> {
    this.#timers.stop();
    await Promise.all([this.#orchestrations.close(), this.#entities.close(), this.#activities.close()]);
    await this.hub.close();
  }

  orchestrator(name: string): HostedFunction | undefined {
    return this.#functions.get(`orchestrationTrigger/${name.toLowerCase()}`);
  }

  activity(name: string): HostedFunction | undefined {
    return this.#functions.get(`activityTrigger/${name.toLowerCase()}`);
  }

  entityFunction(name: string): HostedFunction | undefined {
    return this.#functions.get(`entityTrigger/${name.toLowerCase()}`);
  }

  knownNames(kind: "activity" | "orchestrator"): string[] {
    const type = kind === "activity" ? "activityTrigger" : "orchestrationTrigger";
    return [...this.#functions.values()].filter((fn) => fn.triggerType === type).map((fn) => fn.name);
  }

  /** Calls an orchestrator function with its history, of which what stands from `newFrom` on is news. */
  call(
    fn: HostedFunction,
    instance: Orchestration,
    history: readonly HistoryEvent[],
    newFrom: number,
  ): Promise<OrchestratorState> {
    return callOrchestrator(this.invoker, fn, instance, history, newFrom);
  }

  isRunning(instanceId: string, executionId?: string): boolean {
    const instance = this.hub.get(instanceId);
    if (instance?.kind !== "orchestration" || isFinished(instance.status)) return false;
    return executionId === undefined || executionId === instance.executionId;
  }

  /** Resolves with the instance once it is as wanted, looked at after every commit on disk. */
  waitFor(id: string, wanted: Waiter["wanted"]): Promise<Instance | undefined> {
    const instance = this.hub.get(id);
    if (wanted(instance)) return Promise.resolve(instance);
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters.add({ wanted, resolve }));
    });
  }

  /** Resolves when nothing moves any more and only time or the world outside could change that. */
  async idle(): Promise<void> {
    while (!this.#isIdle()) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Applied at once; resolves when it is on disk, and then sets off what follows from it. */
  async commit(changes: readonly Change[]): Promise<void> {
    this.#commits += 1;
    try {
      const written = this.hub.commit(changes);
      const touched = new Set(
        changes.map((change) => (change.do === "revive" ? change.instance.id : change.id)),
      );
      for (const id of touched) this.#schedule(id);
      await written;
      for (const change of changes) this.#dispatch(change);
      for (const id of touched) this.#wakeWaiters(id);
    } catch (error) {
      this.#onFatal(error);
    } finally {
      this.#commits -= 1;
      this.#wakeIdle();
    }
  }

  #schedule(id: string): void {
    if (this.#scheduled.has(id) || !this.#hasWork(id)) return;
    this.#scheduled.add(id);
    if (id.startsWith("@")) this.#entities.add(id);
    else this.#orchestrations.add(id);
  }

  #hasWork(id: string): boolean {
    const instance = this.hub.getLive(id);
    if (instance === undefined) return false;
    if (instance.kind === "entity") return heardMessages(instance).length > 0;
    return takeMessages(instance) !== undefined;
  }

  async #turn(id: string): Promise<void> {
    const instance = this.hub.getLive(id);
    try {
      if (instance === undefined) return;
      const changes =
        instance.kind === "entity" ? await runEntityTurn(instance, this) : await runEpisode(instance, this);
      if (changes.length > 0) await this.commit(changes);
    } catch (error) {
      this.#onFatal(error);
    } finally {
      this.#scheduled.delete(id);
      this.#schedule(id);
      this.#wakeIdle();
    }
  }

  #dispatch(change: Change): void {
    if (change.do !== "episode") return;
    const instance = this.hub.getLive(change.id);
    if (instance?.kind !== "orchestration") return;
    for (const event of change.events) {
      const key = pendingKey(change.executionId, event.EventId);
      const timer = event.EventType === eventType.TimerCreated ? instance.timers[key] : undefined;
      const task = event.EventType === eventType.TaskScheduled ? instance.tasks[key] : undefined;
      if (timer !== undefined) this.#timers.add({ instanceId: instance.id, key, fireAt: timer.fireAt });
      if (task !== undefined) this.#activities.add({ instanceId: instance.id, key, task });
    }
  }

  async #activity({ instanceId, key, task }: DispatchedTask): Promise<void> {
    const event = await runActivity(task, instanceId, this.activity(task.name), this.#context);
    await this.commit([{ do: "answer", id: instanceId, task: key, event }]);
    this.#wakeIdle();
  }

  async #fire(due: readonly DueTimer[]): Promise<void> {
    const changes = due.flatMap(({ instanceId, key, fireAt }): Change[] => {
      const timer = this.#pendingTimer(instanceId, key);
      if (timer === undefined) return [];
      const event: IncomingEvent = {
        EventType: eventType.TimerFired,
        EventId: -1,
        Timestamp: new Date(this.now()).toISOString(),
        TimerId: timer.timerId,
        FireAt: new Date(fireAt).toISOString(),
      };
      return [{ do: "fire", id: instanceId, timer: key, event }];
    });
    await this.commit(changes);
  }

  #pendingTimer(instanceId: string, key: string): PendingTimer | undefined {
    const instance = this.hub.getLive(instanceId);
    return instance?.kind === "orchestration" ? instance.timers[key] : undefined;
  }

  #wakeWaiters(id: string): void {
    const waiters = this.#waiters.get(id);
    if (waiters === undefined) return;
    const instance = this.hub.get(id);
    for (const waiter of waiters) {
      if (!waiter.wanted(instance)) continue;
      waiters.delete(waiter);
      waiter.resolve(instance);
    }
    if (waiters.size === 0) this.#waiters.delete(id);
  }

  #isIdle(): boolean {
    return this.#commits === 0 && this.#scheduled.size === 0 && this.#activities.isIdle;
  }

  #wakeIdle(): void {
    if (this.#idle.length === 0) return;
    // Queues count an item as running until its promise has settled: look again when it has.
    setImmediate(() => {
      if (this.#isIdle()) for (const wake of this.#idle.splice(0)) wake();
    });
  }
}
