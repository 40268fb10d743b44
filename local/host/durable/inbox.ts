import { eventType, type IncomingEvent, isFinished } from "./history.ts";
import type { InboxMessage, Orchestration } from "./instance.ts";

/** What an orchestration hears in one episode. */
export interface Turn {
  readonly took: readonly number[];
  readonly events: readonly IncomingEvent[];
  readonly suspended: boolean;
  readonly terminated: string | undefined;
}

/** While an instance is suspended only control messages are heard; the others wait for it to be resumed. */
export function takeMessages({ inbox, status }: Orchestration): Turn | undefined {
  if (inbox.length === 0 || isFinished(status)) return undefined;
  let suspended = status === "Suspended";
  let terminated: string | undefined;
  for (const { event } of inbox) {
    if (event.EventType === eventType.ExecutionSuspended) suspended = true;
    if (event.EventType === eventType.ExecutionResumed) suspended = false;
    if (event.EventType === eventType.ExecutionTerminated) terminated ??= event.Reason;
  }
  const heard = (message: InboxMessage): boolean =>
    terminated !== undefined || !suspended || isControl(message.event);
  const taken = inbox.filter(heard);
  if (taken.length === 0) return undefined;
  return { took: taken.map(({ n }) => n), events: taken.map(({ event }) => event), suspended, terminated };
}

export function isControl(event: IncomingEvent): boolean {
  return (
    event.EventType === eventType.ExecutionSuspended ||
    event.EventType === eventType.ExecutionResumed ||
    event.EventType === eventType.ExecutionTerminated
  );
}

/** Time never runs backwards in a history, and a timer has not fired before it was due. */
export function latest(events: readonly IncomingEvent[]): number {
  return Math.max(
    0,
    ...events.map((event) =>
      event.EventType === eventType.TimerFired ? Date.parse(event.FireAt) : Date.parse(event.Timestamp),
    ),
  );
}
