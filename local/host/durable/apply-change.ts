import { failureOf } from "./failure.ts";
import { eventType, type IncomingEvent, isFinished } from "./history.ts";
import {
  type Change,
  type Entity,
  type Instance,
  isResting,
  type Orchestration,
  pendingKey,
} from "./instance.ts";

/** The one place where instances change. Runs for a new commit and again when the journal is read back. */
export function apply(instances: Map<string, Instance>, change: Change): void {
  switch (change.do) {
    case "create":
      create(instances, change);
      break;
    case "revive":
      // A copy: what changes from here on must not change the commit, which is still to be written.
      instances.set(change.instance.id, structuredClone(change.instance));
      break;
    case "purge":
      instances.delete(change.id);
      break;
    case "post":
      post(orchestration(instances, change.id), change.event, change.executionId);
      break;
    case "episode":
      applyEpisode(orchestration(instances, change.id), change);
      break;
    case "answer": {
      const instance = orchestration(instances, change.id);
      const executionId = instance?.tasks[change.task]?.executionId;
      if (instance === undefined || executionId === undefined) break;
      delete instance.tasks[change.task];
      post(instance, change.event, executionId);
      break;
    }
    case "fire": {
      const instance = orchestration(instances, change.id);
      const executionId = instance?.timers[change.timer]?.executionId;
      if (instance === undefined || executionId === undefined) break;
      delete instance.timers[change.timer];
      post(instance, change.event, executionId);
      break;
    }
    case "ask": {
      const entity = entityFor(instances, change.id, change.at);
      entity.inbox.push({ n: entity.nextMessage++, request: change.request });
      break;
    }
    case "entity":
      applyEntity(instances, change);
      break;
  }
}

/**
 * Whether an id is free is known for certain only here: orchestrators run side by side, and two of them, or one of
 * them twice, may have asked for the same child.
 */
function create(instances: Map<string, Instance>, change: Extract<Change, { do: "create" }>): void {
  const { id, parent, started } = change;
  const existing = orchestration(instances, id);
  if (parent === null || existing === undefined || isFinished(existing.status)) {
    instances.set(id, newOrchestration(change));
    return;
  }
  const refusal: IncomingEvent = {
    EventType: eventType.SubOrchestrationInstanceFailed,
    EventId: -1,
    Timestamp: started.Timestamp,
    TaskScheduledId: parent.taskId,
    ...failureOf(
      `Sub-orchestrator function '${started.Name}' failed:`,
      `An orchestration with the id '${id}' is already running.`,
    ),
  };
  post(orchestration(instances, parent.instanceId), refusal, parent.executionId);
}

function newOrchestration(change: Extract<Change, { do: "create" }>): Orchestration {
  const { id, executionId, started, parent, at } = change;
  return {
    kind: "orchestration",
    id,
    name: started.Name,
    version: started.Version ?? null,
    parent,
    createdTime: at,
    executionId,
    status: "Pending",
    input: started.Input,
    output: null,
    customStatus: null,
    lastUpdatedTime: at,
    history: [],
    inbox: [{ n: 0, event: started, executionId }],
    nextMessage: 1,
    tasks: {},
    timers: {},
  };
}

function post(instance: Orchestration | undefined, event: IncomingEvent, executionId: string | null): void {
  // Answers that come late, to a finished instance or an earlier generation, go nowhere.
  if (instance === undefined || isFinished(instance.status)) return;
  if (executionId !== null && executionId !== instance.executionId) return;
  instance.inbox.push({ n: instance.nextMessage++, event, executionId });
}

function applyEpisode(instance: Orchestration | undefined, change: Extract<Change, { do: "episode" }>): void {
  if (instance === undefined) return;
  const { executionId } = change;
  instance.inbox = without(instance.inbox, change.took);
  for (const event of change.events) {
    instance.history.push(event);
    if (event.EventType === eventType.TaskScheduled) {
      const { EventId: taskId, Name: name, Input: input } = event;
      instance.tasks[pendingKey(executionId, taskId)] = { taskId, name, input, executionId };
    } else if (event.EventType === eventType.TimerCreated) {
      const { EventId: timerId, FireAt } = event;
      instance.timers[pendingKey(executionId, timerId)] = {
        timerId,
        fireAt: Date.parse(FireAt),
        executionId,
      };
    }
  }
  instance.status = change.status;
  instance.output = change.output;
  instance.lastUpdatedTime = change.at;
  if (change.customStatus !== undefined) instance.customStatus = change.customStatus;
  if (change.renew !== undefined) renew(instance, change.renew);
  if (isFinished(change.status)) {
    instance.inbox = [];
    instance.timers = {};
  }
}

function renew(
  instance: Orchestration,
  next: NonNullable<Extract<Change, { do: "episode" }>["renew"]>,
): void {
  instance.executionId = next.executionId;
  instance.input = next.started.Input;
  instance.history = [];
  instance.timers = {};
  const waiting = instance.inbox.filter((message) => message.executionId === null);
  const carried = [next.started, ...next.carried].map((event) => ({
    n: instance.nextMessage++,
    event,
    executionId: null,
  }));
  instance.inbox = [...carried, ...waiting];
}

function applyEntity(instances: Map<string, Instance>, change: Extract<Change, { do: "entity" }>): void {
  const entity = entityFor(instances, change.id, change.at);
  entity.inbox = without(entity.inbox, change.took);
  entity.exists = change.exists;
  entity.state = change.state;
  entity.lockedBy = change.lockedBy;
  entity.lastUpdatedTime = change.at;
  if (!entity.exists && isResting(entity)) instances.delete(entity.id);
}

function entityFor(instances: Map<string, Instance>, id: string, at: number): Entity {
  const found = instances.get(id);
  if (found?.kind === "entity") return found;
  const entity: Entity = {
    kind: "entity",
    id,
    createdTime: at,
    exists: false,
    state: null,
    lockedBy: null,
    lastUpdatedTime: at,
    inbox: [],
    nextMessage: 0,
  };
  instances.set(id, entity);
  return entity;
}

function orchestration(instances: Map<string, Instance>, id: string): Orchestration | undefined {
  const found = instances.get(id);
  return found?.kind === "orchestration" ? found : undefined;
}

function without<M extends { readonly n: number }>(inbox: M[], took: readonly number[]): M[] {
  if (took.length === 0) return inbox;
  // What is taken stands at the front, but for entities under a lock and suspended instances.
  if (took.length === inbox.length) return [];
  const gone = new Set(took);
  return inbox.filter(({ n }) => !gone.has(n));
}
