import { eventType, type ScheduledEvent } from "./history.ts";

/** Something an orchestrator asks for, under the sequence id that its answer will carry. */
export type Decision =
  | { readonly kind: "activity"; readonly id: number; readonly name: string; readonly input: string | null }
  | { readonly kind: "timer"; readonly id: number; readonly fireAt: number }
  | {
      readonly kind: "child";
      readonly id: number;
      readonly name: string;
      readonly instanceId: string;
      readonly input: string | null;
      readonly version: string | undefined;
    }
  | {
      readonly kind: "send";
      readonly id: number;
      readonly target: string;
      readonly name: string;
      readonly input: string;
    };

export class NonDeterminism extends Error {
  override readonly name = "NonDeterminism";
}

/** The history is right by definition: whoever contradicts it is the code that is being replayed. */
export function checkDeterminism(
  event: ScheduledEvent,
  decision: Decision | undefined,
  replayed: string | undefined,
): void {
  if (decision !== undefined && agrees(decision, event)) return;
  throw new NonDeterminism(
    `Non-deterministic orchestrator: its history has ${describe(event)} as step ${event.EventId}, but replaying it ` +
      (replayed === undefined ? "gives no such step. " : `gives ${replayed}. `) +
      "Either the code was changed while the instance was running, or it reads clocks, random numbers, the " +
      "environment or I/O outside of activities, or it awaits a retried task again after racing it in Task.any.",
  );
}

function agrees(decision: Decision, event: ScheduledEvent): boolean {
  switch (event.EventType) {
    case eventType.TaskScheduled:
      return decision.kind === "activity" && sameName(decision.name, event.Name);
    case eventType.SubOrchestrationInstanceCreated:
      return decision.kind === "child" && sameName(decision.name, event.Name);
    case eventType.TimerCreated:
      return decision.kind === "timer";
    default:
      return decision.kind === "send" && decision.target === event.InstanceId;
  }
}

function describe(event: ScheduledEvent): string {
  switch (event.EventType) {
    case eventType.TaskScheduled:
      return `activity '${event.Name}'`;
    case eventType.SubOrchestrationInstanceCreated:
      return `sub-orchestration '${event.Name}'`;
    case eventType.TimerCreated:
      return "a timer";
    default:
      return `a message to ${event.InstanceId}`;
  }
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
