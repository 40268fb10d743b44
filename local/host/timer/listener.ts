import type { HostedFunction } from "../functions.ts";
import type { HostContext, Listener } from "../host-context.ts";
import { StartError } from "../../start-error.ts";
import { FunctionTimer } from "./function-timer.ts";
import { parseSchedule, type Schedule, scheduleTimeZone } from "./schedule.ts";
import { createStatusStore } from "./status-store.ts";

export interface TimerListener extends Listener {
  /** Runs a timer function now, whether or not the listener has been started. */
  fire(fn: HostedFunction): Promise<void>;
}

/** Runs timer functions on their schedules. Only one host of an app may start it. */
export function createTimerListener(context: HostContext): TimerListener {
  const timeZone = scheduleTimeZone(context.settings);
  const store = createStatusStore(context.dataDir);
  const timers = context.functions
    .filter((fn) => fn.triggerType === "timerTrigger")
    .map((fn) => new FunctionTimer(context, fn, scheduleOf(context, fn, timeZone), store));
  const enabled = timers.filter(({ fn }) => !fn.disabled);
  return {
    start() {
      for (const timer of enabled) timer.start();
      return Promise.resolve();
    },
    async stop() {
      await Promise.all(timers.map((timer) => timer.stop()));
    },
    async fire(fn) {
      await timers.find((timer) => timer.fn === fn)?.fire();
    },
  };
}

function scheduleOf({ clock }: HostContext, fn: HostedFunction, timeZone: string): Schedule {
  const { schedule: text } = fn.trigger;
  if (typeof text !== "string" || text.trim() === "")
    throw new StartError(`Function '${fn.name}' has no schedule`);
  try {
    const schedule = parseSchedule(text, timeZone);
    if (schedule.next(clock.now()) !== undefined) return schedule;
    throw new StartError(`schedule '${text}' names a date that never comes`);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new StartError(`Function '${fn.name}': ${error.message}`, { cause: error });
  }
}
