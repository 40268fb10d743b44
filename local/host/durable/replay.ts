import {
  type Action,
  actionType,
  encodedInput,
  type HttpCall,
  rawInput,
  retryDelay,
  type RetryPolicy,
  type SubOrchestratorCall,
} from "./actions.ts";
import { checkDeterminism, type Decision } from "./decision.ts";
import { EventWaiters } from "./event-waiters.ts";
import { eventType, type EventRaised, type HistoryEvent, type ScheduledEvent } from "./history.ts";
import { nextPoll } from "./http-poll.ts";
import { requestId } from "./request-id.ts";
import { hostSemantics, type Semantics } from "./semantics.ts";
import { settledTask, SyncTask, whenAll, whenAny } from "./sync-task.ts";

export interface Self {
  readonly instanceId: string;
  readonly executionId: string;
}

export interface ReplayOutcome {
  /** What is new, in the order of the ids. */
  readonly decisions: readonly Decision[];
  readonly continueAsNew: { readonly input: string | null } | undefined;
  /** Every action was issued and awaited: only then does "done" of the SDK count. */
  readonly finished: boolean;
  /** Events that came after continueAsNew and belong to the next generation. */
  readonly carried: readonly EventRaised[];
  /** Events that the orchestrator waited for and got. */
  readonly heard: readonly EventRaised[];
  /** Entities locked at the end. */
  readonly locks: readonly string[];
  /** Retries ended because their time was up, of which the SDK knows nothing: it waits on. */
  readonly outOfTime: boolean;
  /** What each id stands for. */
  readonly ids: readonly string[];
}

export const timerLimits = { longestMs: 6 * 86_400_000, legMs: 3 * 86_400_000 };
/** The activity that carries out callHttp; it is the host's own and has no function. */
export const httpActivity = "BuiltIn::HttpActivity";

/**
 * Finds out what an orchestrator newly asks for. Neither the SDK nor the host sends sequence ids: each walks the
 * history with a counter of its own, and they understand each other only as long as both count alike.
 * This walk counts the way the platform's host does.
 *
 *   history event ─▶ settles a task ─▶ the next action is issued ─▶ takes an id ─▶ a decision
 *   a decision that the history has scheduled already is not new; one it contradicts is a non-determinism
 */
export function replay(
  history: readonly HistoryEvent[],
  actions: readonly Action[],
  self: Self,
  semantics: Semantics = hostSemantics,
): ReplayOutcome {
  const walk = new Walk(actions, self, semantics);
  for (const event of history) walk.see(event);
  return walk.outcome();
}

class Walk {
  readonly #actions: readonly Action[];
  readonly #self: Self;
  readonly #semantics: Semantics;
  readonly #open = new Map<number, SyncTask>();
  readonly #decisions = new Map<number, Decision>();
  readonly #events = new EventWaiters();
  readonly #carried: EventRaised[] = [];
  readonly #heard: EventRaised[] = [];
  readonly #ids: string[] = [];
  #locks: string[] = [];
  #lockRequestId: string | undefined;
  #continueAsNew: { input: string | null } | undefined;
  #now = 0;
  #issued = 0;
  #finished = false;
  #outOfTime = false;

  constructor(actions: readonly Action[], self: Self, semantics: Semantics) {
    this.#actions = actions;
    this.#self = self;
    this.#semantics = semantics;
  }

  see(event: HistoryEvent): void {
    switch (event.EventType) {
      case eventType.OrchestratorStarted:
        this.#now = Math.max(this.#now, Date.parse(event.Timestamp));
        break;
      case eventType.ExecutionStarted:
        this.#pump();
        break;
      case eventType.TaskScheduled:
      case eventType.TimerCreated:
      case eventType.SubOrchestrationInstanceCreated:
      case eventType.EventSent:
        this.#match(event);
        break;
      case eventType.TaskCompleted:
      case eventType.SubOrchestrationInstanceCompleted:
        this.#settle(event.TaskScheduledId, false, event.Result);
        break;
      case eventType.TaskFailed:
      case eventType.SubOrchestrationInstanceFailed:
        this.#settle(event.TaskScheduledId, true, null);
        break;
      case eventType.TimerFired:
        this.#settle(event.TimerId, false, null);
        break;
      case eventType.EventRaised:
        if (this.#continueAsNew === undefined) this.#events.raise(event);
        else this.#carried.push(event);
        break;
      default:
        break;
    }
  }

  outcome(): ReplayOutcome {
    return {
      decisions: [...this.#decisions.values()].toSorted((a, b) => a.id - b.id),
      continueAsNew: this.#continueAsNew,
      finished: this.#finished,
      carried: this.#carried,
      heard: this.#heard,
      locks: this.#locks,
      outOfTime: this.#outOfTime,
      ids: this.#ids,
    };
  }

  #pump(): void {
    for (;;) {
      const action = this.#actions[this.#issued];
      if (action === undefined) break;
      this.#issued += 1;
      const task = this.#issue(action);
      if (!task.settled) {
        task.whenSettled(() => this.#pump());
        return;
      }
    }
    this.#finished = true;
  }

  #issue(action: Action): SyncTask {
    switch (action.actionType) {
      case actionType.CallActivity:
        return this.#activity(action.functionName, encodedInput(action.input));
      case actionType.CallActivityWithRetry:
        return this.#retried(action.retryOptions, () =>
          this.#activity(action.functionName, encodedInput(action.input)),
        );
      case actionType.CallSubOrchestrator:
        return this.#child(action);
      case actionType.CallSubOrchestratorWithRetry:
        return this.#retried(action.retryOptions, () => this.#child(action));
      case actionType.ContinueAsNew:
        this.#continueAsNew = { input: rawInput(action.input) };
        return settledTask();
      case actionType.CreateTimer: {
        const timer = this.#timer(Date.parse(action.fireAt));
        if (action.isCanceled && this.#semantics.cancelSettlesTimer) timer.settle(true);
        return timer;
      }
      case actionType.WaitForExternalEvent:
        return this.#awaitEvent(action.externalEventName, (event) => this.#heard.push(event));
      case actionType.CallEntity: {
        const id = this.#request(action.instanceId, action.operation, action.input, false);
        return this.#awaitEvent(id);
      }
      case actionType.SignalEntity:
        this.#request(action.instanceId, action.operation, action.input, true);
        return settledTask();
      case actionType.CallHttp:
        return this.#http(action.httpRequest);
      case actionType.WhenAny:
        return whenAny(action.compoundActions.map((child) => this.#issue(child)));
      case actionType.WhenAll:
        return whenAll(
          action.compoundActions.map((child) => this.#issue(child)),
          this.#semantics.failFastAll,
        );
      case actionType.LockEntities: {
        this.#locks = action.lockSet.map(({ name, key }) => `@${name.toLowerCase()}@${key}`);
        this.#lockRequestId = action.lockRequestId;
        const { instanceId, executionId } = this.#self;
        this.#send(this.#locks[0] ?? "", "lock", {
          id: action.lockRequestId,
          parent: instanceId,
          parentExecution: executionId,
          lockset: this.#locks,
          pos: 0,
        });
        return this.#awaitEvent(action.lockRequestId);
      }
      case actionType.ReleaseEntities:
        for (const target of this.#locks) {
          this.#send(target, "release", { parent: this.#self.instanceId, id: this.#lockRequestId });
        }
        this.#locks = [];
        this.#lockRequestId = undefined;
        return settledTask();
      default:
        throw new Error("The SDK asks for something that this host does not know.");
    }
  }

  #nextId(label: string): number {
    return this.#ids.push(label) - 1;
  }

  #schedule(decision: Decision): SyncTask {
    const task = new SyncTask();
    this.#decisions.set(decision.id, decision);
    this.#open.set(decision.id, task);
    return task;
  }

  #activity(name: string, input: string | null): SyncTask {
    return this.#schedule({ kind: "activity", id: this.#nextId(`activity '${name}'`), name, input });
  }

  #child({ functionName: name, instanceId, input, version }: SubOrchestratorCall): SyncTask {
    const id = this.#nextId(`sub-orchestration '${name}'`);
    return this.#schedule({
      kind: "child",
      id,
      name,
      // Empty counts as absent, as in the extension.
      instanceId: instanceId || `${this.#self.executionId}:${id}`,
      input: rawInput(input),
      version,
    });
  }

  /** A timer further away than the platform's limit is made of legs, each with an id of its own. */
  #timer(fireAt: number): SyncTask {
    if (fireAt - this.#now <= timerLimits.longestMs) return this.#shortTimer(fireAt);
    const whole = new SyncTask();
    const leg = (): void => {
      this.#shortTimer(Math.min(fireAt, this.#now + timerLimits.legMs)).whenSettled(() => {
        if (this.#now >= fireAt) whole.settle(false);
        else if (!whole.settled) leg();
      });
    };
    leg();
    return whole;
  }

  #shortTimer(fireAt: number): SyncTask {
    const id = this.#nextId(`a timer for ${new Date(fireAt).toISOString()}`);
    return this.#schedule({ kind: "timer", id, fireAt });
  }

  #retried(policy: RetryPolicy, attempt: () => SyncTask): SyncTask {
    const result = new SyncTask();
    const first = this.#now;
    const run = (number: number): void => {
      attempt().whenSettled((task) => {
        if (!task.failed) return result.settle(false, task.value);
        const last = number >= policy.maxNumberOfAttempts;
        const timeout = policy.retryTimeoutInMilliseconds;
        if (!last && timeout !== undefined && this.#now >= first + timeout) {
          this.#outOfTime = true;
          return result.settle(true);
        }
        // Even after the last attempt a timer is awaited before the failure shows: the SDK counts on its id.
        const delay = last ? 0 : retryDelay(policy, number);
        this.#shortTimer(this.#now + delay).whenSettled(() => (last ? result.settle(true) : run(number + 1)));
      });
    };
    run(1);
    return result;
  }

  #http(request: HttpCall): SyncTask {
    const result = new SyncTask();
    const call = (wanted: HttpCall): void => {
      this.#activity(httpActivity, JSON.stringify(wanted)).whenSettled((task) => {
        const poll = task.failed ? undefined : nextPoll(wanted, task.value);
        if (poll === undefined) return result.settle(task.failed, task.value);
        const timer = this.#timer(this.#now + poll.afterMs);
        if (this.#semantics.httpPollTakesBothIds) call(poll.request);
        else timer.whenSettled(() => call(poll.request));
      });
    };
    call(request);
    return result;
  }

  #awaitEvent(name: string, onHeard?: (event: EventRaised) => void): SyncTask {
    const task = new SyncTask();
    this.#events.wait(name, (event) => {
      onHeard?.(event);
      task.settle(false, event.Input);
    });
    return task;
  }

  #request(target: string, operation: string, input: unknown, signal: boolean): string {
    const { instanceId, executionId } = this.#self;
    const id = requestId(`${instanceId}|${executionId}|${this.#ids.length}`);
    const text = input === undefined ? null : JSON.stringify(input);
    this.#send(target, "op", {
      op: operation,
      signal,
      input: text,
      id,
      parent: instanceId,
      parentExecution: executionId,
    });
    return id;
  }

  #send(target: string, name: string, body: object): void {
    const id = this.#nextId(`a message to ${target}`);
    this.#decisions.set(id, { kind: "send", id, target, name, input: JSON.stringify(body) });
  }

  #settle(id: number, failed: boolean, value: string | null): void {
    const task = this.#open.get(id);
    this.#open.delete(id);
    task?.settle(failed, value);
  }

  #match(event: ScheduledEvent): void {
    if (this.#semantics.checksHistory)
      checkDeterminism(event, this.#decisions.get(event.EventId), this.#ids[event.EventId]);
    this.#decisions.delete(event.EventId);
  }
}
