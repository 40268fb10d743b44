import type { HostedFunction } from "../functions.ts";
import type { HostContext } from "../host-context.ts";
import { jsonTextOf } from "../worker/typed-data.ts";
import { missing } from "./consequences.ts";
import { failureOf } from "./failure.ts";
import { eventType, type IncomingEvent } from "./history.ts";
import { httpCall } from "./http-activity.ts";
import type { PendingTask } from "./instance.ts";
import { httpActivity } from "./replay.ts";

/** Runs an activity and answers with the event that tells its orchestration how it went. */
export async function runActivity(
  task: PendingTask,
  instanceId: string,
  fn: HostedFunction | undefined,
  { invoker, clock }: HostContext,
): Promise<IncomingEvent> {
  let result: string | null;
  try {
    if (task.name === httpActivity) result = await httpCall(task.input);
    else result = await callActivity(task, instanceId, fn, invoker);
  } catch (error) {
    return {
      EventType: eventType.TaskFailed,
      ...common(task, clock.now()),
      ...failureOf(`Activity function '${task.name}' failed:`, error),
    };
  }
  return { EventType: eventType.TaskCompleted, ...common(task, clock.now()), Result: result };
}

async function callActivity(
  { name, input }: PendingTask,
  instanceId: string,
  fn: HostedFunction | undefined,
  invoker: HostContext["invoker"],
): Promise<string | null> {
  // It was there when it was scheduled: the app has changed since.
  if (fn === undefined) throw missing("activity", name, { knownNames: () => [] });
  const called = await invoker.invoke(fn, {
    reason: "(null)",
    data: input === null ? {} : { string: input },
    triggerMetadata: { instanceId: { string: instanceId }, data: { string: input ?? "null" } },
  });
  if (called.kind === "failed") throw called.error;
  return jsonTextOf(called.response.returnValue) ?? null;
}

function common({ taskId }: PendingTask, now: number) {
  return { EventId: -1, Timestamp: new Date(now).toISOString(), TaskScheduledId: taskId };
}
