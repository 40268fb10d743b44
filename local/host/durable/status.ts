import { eventType, type HistoryEvent } from "./history.ts";
import type { Orchestration } from "./instance.ts";

export interface StatusOptions {
  readonly showInput: boolean;
  readonly showHistory: boolean;
  readonly showHistoryOutput: boolean;
}

/** An orchestration as clients see it. The SDK wants `input` and `output` to be there, null or not. */
export function statusOf(instance: Orchestration, options: StatusOptions): Record<string, unknown> {
  return {
    name: instance.name,
    instanceId: instance.id,
    runtimeStatus: instance.status,
    input: options.showInput ? parsed(instance.input) : null,
    customStatus: parsed(instance.customStatus),
    output: parsed(instance.output),
    createdTime: new Date(instance.createdTime).toISOString(),
    lastUpdatedTime: new Date(instance.lastUpdatedTime).toISOString(),
    ...(options.showHistory && { historyEvents: shownHistory(instance.history, options.showHistoryOutput) }),
  };
}

const eventNames = new Map<number, string>(Object.entries(eventType).map(([name, number]) => [number, name]));

/** Markers and the scheduling of what was answered since are left out, as the extension does. */
function shownHistory(history: readonly HistoryEvent[], withOutput: boolean): object[] {
  const answered = new Set(
    history.flatMap((event) => ("TaskScheduledId" in event ? [event.TaskScheduledId] : [])),
  );
  const fired = new Set(history.flatMap((event) => ("TimerId" in event ? [event.TimerId] : [])));
  const scheduled = new Map(history.flatMap((event) => (event.EventId >= 0 ? [[event.EventId, event]] : [])));
  return history.flatMap((event): object[] => {
    switch (event.EventType) {
      case eventType.OrchestratorStarted:
      case eventType.OrchestratorCompleted:
        return [];
      case eventType.TaskScheduled:
      case eventType.SubOrchestrationInstanceCreated:
        return answered.has(event.EventId) ? [] : [shown(event, withOutput)];
      case eventType.TimerCreated:
        return fired.has(event.EventId) ? [] : [shown(event, withOutput)];
      case eventType.TaskCompleted:
      case eventType.TaskFailed:
      case eventType.SubOrchestrationInstanceCompleted:
      case eventType.SubOrchestrationInstanceFailed: {
        const cause = scheduled.get(event.TaskScheduledId);
        const name = cause !== undefined && "Name" in cause ? cause.Name : undefined;
        return [{ ...shown(event, withOutput), FunctionName: name, ScheduledTime: cause?.Timestamp }];
      }
      default:
        return [shown(event, withOutput)];
    }
  });
}

function shown(event: HistoryEvent, withOutput: boolean): object {
  const { EventType: type, EventId: _, ...rest } = event;
  const result = "Result" in event ? { Result: withOutput ? parsed(event.Result) : undefined } : {};
  return { EventType: eventNames.get(type), ...rest, ...result };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
