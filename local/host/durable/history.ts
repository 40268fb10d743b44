/**
 * History events in the form the Durable extension hands to the SDK. Numbers and field names are the
 * protocol's. `IsPlayed` is left out: it says on which side of an episode an event is, and is added when
 * the history is handed over.
 */
export const eventType = {
  ExecutionStarted: 0,
  ExecutionCompleted: 1,
  ExecutionTerminated: 3,
  TaskScheduled: 4,
  TaskCompleted: 5,
  TaskFailed: 6,
  SubOrchestrationInstanceCreated: 7,
  SubOrchestrationInstanceCompleted: 8,
  SubOrchestrationInstanceFailed: 9,
  TimerCreated: 10,
  TimerFired: 11,
  OrchestratorStarted: 12,
  OrchestratorCompleted: 13,
  EventSent: 14,
  EventRaised: 15,
  ExecutionSuspended: 19,
  ExecutionResumed: 20,
} as const;

type Types = typeof eventType;

interface Event<Name extends keyof Types> {
  readonly EventType: Types[Name];
  /** The sequence id for what an orchestrator scheduled, -1 for what came to it. */
  readonly EventId: number;
  readonly Timestamp: string;
}

export interface ExecutionStarted extends Event<"ExecutionStarted"> {
  readonly Name: string;
  /** JSON text, as all inputs, results and outputs here. */
  readonly Input: string | null;
  readonly Version?: string;
}

export interface ExecutionCompleted extends Event<"ExecutionCompleted"> {
  readonly OrchestrationStatus: "Completed" | "Failed" | "ContinuedAsNew";
  readonly Result: string | null;
}

export interface TaskScheduled extends Event<"TaskScheduled"> {
  readonly Name: string;
  readonly Input: string | null;
}

export interface TaskCompleted extends Event<"TaskCompleted"> {
  readonly TaskScheduledId: number;
  readonly Result: string | null;
}

export interface Failure {
  readonly Reason: string;
  readonly Details: string;
  readonly FailureDetails: FailureDetails;
}

export interface FailureDetails {
  readonly ErrorType: string;
  readonly ErrorMessage: string;
  readonly StackTrace: string | null;
  readonly IsNonRetriable: boolean;
  readonly InnerFailure: FailureDetails | null;
  readonly Properties: null;
}

export interface TaskFailed extends Event<"TaskFailed">, Failure {
  readonly TaskScheduledId: number;
}

export interface SubOrchestrationCreated extends Event<"SubOrchestrationInstanceCreated"> {
  readonly Name: string;
  readonly InstanceId: string;
  readonly Input: string | null;
}

export interface SubOrchestrationCompleted extends Event<"SubOrchestrationInstanceCompleted"> {
  readonly TaskScheduledId: number;
  readonly Result: string | null;
}

export interface SubOrchestrationFailed extends Event<"SubOrchestrationInstanceFailed">, Failure {
  readonly TaskScheduledId: number;
}

export interface TimerCreated extends Event<"TimerCreated"> {
  readonly FireAt: string;
}

export interface TimerFired extends Event<"TimerFired"> {
  readonly TimerId: number;
  readonly FireAt: string;
}

export interface EventSent extends Event<"EventSent"> {
  readonly InstanceId: string;
  readonly Name: string;
  readonly Input: string;
}

export interface EventRaised extends Event<"EventRaised"> {
  readonly Name: string;
  readonly Input: string | null;
}

export type Marker = Event<"OrchestratorStarted"> | Event<"OrchestratorCompleted">;

export interface Control extends Event<"ExecutionTerminated" | "ExecutionSuspended" | "ExecutionResumed"> {
  readonly Reason: string;
}

/** What an orchestrator can be told between two episodes. */
export type IncomingEvent =
  | ExecutionStarted
  | TaskCompleted
  | TaskFailed
  | SubOrchestrationCompleted
  | SubOrchestrationFailed
  | TimerFired
  | EventRaised
  | Control;

/** What an orchestrator has asked for, under the id that its answer will carry. */
export type ScheduledEvent = TaskScheduled | SubOrchestrationCreated | TimerCreated | EventSent;

export type HistoryEvent = IncomingEvent | ScheduledEvent | ExecutionCompleted | Marker;

export const runtimeStatuses = [
  "Pending",
  "Running",
  "Suspended",
  "Completed",
  "Failed",
  "Terminated",
] as const;
export type RuntimeStatus = (typeof runtimeStatuses)[number];

export function isFinished(status: RuntimeStatus): boolean {
  return status === "Completed" || status === "Failed" || status === "Terminated";
}
