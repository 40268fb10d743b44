import type { HostedFunction } from "../functions.ts";
import { messageOf } from "../../start-error.ts";
import type { OrchestratorState } from "./actions.ts";
import {
  checkNames,
  consequences,
  type DecisionContext,
  executionStarted,
  missing,
  newExecutionId,
  scheduledEvent,
} from "./consequences.ts";
import { guardedReplay } from "./divergence.ts";
import { failureOf } from "./failure.ts";
import { eventType, type HistoryEvent, type IncomingEvent } from "./history.ts";
import { isControl, latest, takeMessages } from "./inbox.ts";
import type { Change, Orchestration } from "./instance.ts";
import type { ReplayOutcome } from "./replay.ts";

/** What an episode needs to know about the app and the hub. */
export interface EpisodeContext extends DecisionContext {
  /** Calls the orchestrator function with a history; fails as the function failed. */
  call(
    fn: HostedFunction,
    instance: Orchestration,
    history: readonly HistoryEvent[],
    newFrom: number,
  ): Promise<OrchestratorState>;
}

const customStatusLimit = 16 * 1024;

/**
 * One turn of an orchestration: takes what has come in, lets the orchestrator run over its whole history, and answers
 * with the changes that follow. Nothing has happened until they are committed.
 */
export async function runEpisode(instance: Orchestration, context: EpisodeContext): Promise<Change[]> {
  const turn = takeMessages(instance);
  if (turn === undefined) return [];
  const at = new Date(Math.max(context.now(), latest(turn.events))).toISOString();
  const { took } = turn;
  if (turn.terminated !== undefined) {
    const end = { took, status: "Terminated", output: JSON.stringify(turn.terminated) } as const;
    return finish(instance, context, at, turn.events, end);
  }
  if (turn.suspended || turn.events.every(isControl)) {
    const status = turn.suspended ? "Suspended" : instance.history.length === 0 ? "Pending" : "Running";
    return [episode(instance, context, turn.took, turn.events, { status, output: null })];
  }
  const started: HistoryEvent = { EventType: eventType.OrchestratorStarted, EventId: -1, Timestamp: at };
  const news = [started, ...turn.events];
  try {
    return await play(instance, context, at, took, news);
  } catch (error) {
    const output = JSON.stringify(`Orchestrator function '${instance.name}' failed: ${messageOf(error)}`);
    return finish(instance, context, at, news, { took, status: "Failed", output });
  }
}

async function play(
  instance: Orchestration,
  context: EpisodeContext,
  at: string,
  took: readonly number[],
  news: readonly HistoryEvent[],
): Promise<Change[]> {
  const fn = context.orchestrator(instance.name);
  if (fn === undefined) throw missing("orchestrator", instance.name, context);
  const history = [...instance.history, ...news];
  const state = await context.call(fn, instance, history, instance.history.length);
  const self = { instanceId: instance.id, executionId: instance.executionId };
  const outcome = guardedReplay(history, state.actions.flat(), self);
  checkNames(outcome.decisions, context);
  const events = [...news, ...outcome.decisions.map((decision) => scheduledEvent(decision, at))];
  const customStatus = readCustomStatus(state);
  if (!outcome.finished || (!state.isDone && state.error === undefined)) {
    const change = episode(instance, context, took, [...events, completedMarker(at)], {
      status: "Running",
      output: null,
      customStatus,
    });
    return [change, ...consequences(instance, outcome.decisions, context, at)];
  }
  if (state.error !== undefined) {
    const output = JSON.stringify(`Orchestrator function '${instance.name}' failed: ${state.error}`);
    return [
      ...finish(instance, context, at, events, { took, status: "Failed", output, customStatus }, outcome),
      ...consequences(instance, outcome.decisions, context, at),
    ];
  }
  if (outcome.continueAsNew !== undefined) {
    return [
      {
        ...episode(instance, context, took, events, { status: "Running", output: null, customStatus }),
        renew: {
          executionId: newExecutionId(),
          started: executionStarted(instance.name, outcome.continueAsNew.input, instance.version, at),
          carried: outcome.carried,
        },
      },
      ...releases(instance, context, outcome.locks),
      ...consequences(instance, outcome.decisions, context, at),
    ];
  }
  const output = state.output === undefined ? null : JSON.stringify(state.output);
  return [
    ...finish(instance, context, at, events, { took, status: "Completed", output, customStatus }, outcome),
    ...consequences(instance, outcome.decisions, context, at),
  ];
}

interface Standing {
  readonly status: Orchestration["status"];
  readonly output: string | null;
  readonly customStatus?: string | null | undefined;
}

function episode(
  instance: Orchestration,
  context: EpisodeContext,
  took: readonly number[],
  events: readonly HistoryEvent[],
  { status, output, customStatus }: Standing,
): Extract<Change, { do: "episode" }> {
  return {
    do: "episode",
    id: instance.id,
    executionId: instance.executionId,
    took,
    at: context.now(),
    events,
    status,
    output,
    ...(customStatus !== undefined && { customStatus }),
  };
}

function finish(
  instance: Orchestration,
  context: EpisodeContext,
  at: string,
  events: readonly HistoryEvent[],
  end: Standing & {
    readonly took: readonly number[];
    readonly status: "Completed" | "Failed" | "Terminated";
  },
  outcome?: ReplayOutcome,
): Change[] {
  const closing: HistoryEvent[] =
    end.status === "Terminated"
      ? []
      : [
          {
            EventType: eventType.ExecutionCompleted,
            EventId: -1,
            Timestamp: at,
            OrchestrationStatus: end.status,
            Result: end.output,
          },
          completedMarker(at),
        ];
  const changes: Change[] = [
    episode(instance, context, end.took, [...events, ...closing], end),
    ...releases(instance, context, outcome?.locks ?? locksAsked(instance.history)),
  ];
  if (instance.parent !== null) changes.push(tellParent(instance, instance.parent, at, end));
  return changes;
}

/** No lock outlives the generation that took it. */
function releases(instance: Orchestration, context: EpisodeContext, locks: readonly string[]): Change[] {
  return locks.map((id) => ({
    do: "ask",
    id,
    request: { kind: "release", parent: instance.id },
    at: context.now(),
  }));
}

/** For an orchestration that ends without being replayed: every entity it ever asked to lock. */
function locksAsked(history: readonly HistoryEvent[]): string[] {
  const locks = history.flatMap((event) => {
    if (event.EventType !== eventType.EventSent || event.Name !== "lock") return [];
    return (JSON.parse(event.Input) as { lockset: string[] }).lockset;
  });
  return [...new Set(locks)];
}

function tellParent(
  instance: Orchestration,
  parent: NonNullable<Orchestration["parent"]>,
  at: string,
  { status, output }: Standing,
): Change {
  const common = { EventId: -1, Timestamp: at, TaskScheduledId: parent.taskId };
  const event: IncomingEvent =
    status === "Completed"
      ? { EventType: eventType.SubOrchestrationInstanceCompleted, ...common, Result: output }
      : {
          EventType: eventType.SubOrchestrationInstanceFailed,
          ...common,
          ...failureOf(
            `Sub-orchestrator function '${instance.name}' failed:`,
            output === null ? status : JSON.parse(output),
          ),
        };
  return { do: "post", id: parent.instanceId, event, executionId: parent.executionId };
}

function completedMarker(at: string): HistoryEvent {
  return { EventType: eventType.OrchestratorCompleted, EventId: -1, Timestamp: at };
}

function readCustomStatus(state: OrchestratorState): string | undefined {
  if (state.customStatus === undefined) return undefined;
  const text = JSON.stringify(state.customStatus);
  if (text.length * 2 > customStatusLimit) {
    throw new Error(
      `The custom status is longer than the ${customStatusLimit / 1024} KB the platform allows.`,
    );
  }
  return text;
}
