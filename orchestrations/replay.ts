import type { OrchestrationContext, OrchestrationHandler, RetryOptions, Task } from "durable-functions";
import * as df from "durable-functions";

import {
  collectActivity,
  endActivity,
  replayOrchestrator,
  returnActivity,
  runActivity,
  takeActivity,
} from "../shared/replay/names.ts";
import { readRun } from "../shared/replay/read-task.ts";
import {
  afterCollecting,
  afterReturning,
  afterRunning,
  afterTaking,
  ended,
  nextTask,
  type Run,
  type Task as Step,
} from "../shared/replay/run.ts";
import { readCollected, readRan } from "../shared/replay/read-answers.ts";
import { pauseMs } from "../shared/replay/stages.ts";
import { countsAs } from "../shared/replay/outcomes.ts";

/** The history begins anew after so many steps: a long replay must not grow slower. */
const stepsInAGeneration = 25;

/**
 * Works through a replay, one step after the other. What to do next is decided in shared/replay/run.ts; the steps are
 * activities, each of which may be made twice.
 */
export const replay: OrchestrationHandler = function* (context) {
  let run = readRun(context.df.getInput());
  for (let step = 0; step < stepsInAGeneration; step++) {
    context.df.setCustomStatus({ phase: run.phase, stage: run.stage.index + 1, reached: run.reached });
    if (run.phase === "end") {
      yield context.df.callActivityWithRetry(endActivity, patiently(), nextTask(run));
      return;
    }
    run = yield* takeStep(context, run);
  }
  context.df.continueAsNew(run);
};

function* takeStep(context: OrchestrationContext, run: Run): Generator<Task, Run, unknown> {
  if (run.phase === "return") {
    const task = nextTask(run);
    yield context.df.callActivityWithRetry(returnActivity, patiently(), task);
    return afterReturning(task);
  }
  try {
    return yield* goOn(context, run);
  } catch {
    // The log has the error itself, which is not for everybody who may look at replays.
    return ended(run, { state: "Stopped", reason: "Interlock failed at it several times; see the log." });
  }
}

function* goOn(context: OrchestrationContext, run: Run): Generator<Task, Run, unknown> {
  const task = nextTask(run);
  switch (run.phase) {
    case "collect":
      return afterCollecting(
        run,
        readCollected(yield context.df.callActivityWithRetry(collectActivity, briefly(), task)),
      );
    case "take":
      return afterTaking(
        task,
        readRan(yield context.df.callActivityWithRetry(takeActivity, briefly(), task)),
      );
    default:
      return yield* runChunk(context, task);
  }
}

/** The rate is kept by waiting until the chunk's share of the minute is over. */
function* runChunk(context: OrchestrationContext, task: Step): Generator<Task, Run, unknown> {
  const startedAt = context.df.currentUtcDateTime;
  const ran = readRan(yield context.df.callActivityWithRetry(runActivity, briefly(), task));
  const next = afterRunning(task, ran);
  const share = pauseMs(countsAs(ran.counts, "fine") + countsAs(ran.counts, "failed"), task.run.settings);
  const nextAt = new Date(startedAt.getTime() + share);
  return next.phase === "run" ? yield* waitUntil(context, next, nextAt) : next;
}

/** A replay that is called off must not sleep on: now and then a step without items asks whether it was. */
const longestSleepMs = 5000;

function* waitUntil(context: OrchestrationContext, run: Run, time: Date): Generator<Task, Run, unknown> {
  for (;;) {
    const now = context.df.currentUtcDateTime;
    const left = time.getTime() - now.getTime();
    if (left <= 0) return run;
    yield context.df.createTimer(new Date(now.getTime() + Math.min(left, longestSleepMs)));
    if (left <= longestSleepMs) return run;
    const to = run.total - run.reached;
    const asking = { run, from: to, to };
    const { cancelled } = readRan(yield context.df.callActivityWithRetry(runActivity, briefly(), asking));
    if (cancelled) return ended(run, { state: "Cancelled" });
  }
}

function briefly(): RetryOptions {
  return retries(6);
}

/** What was taken must go back, however long storage is away. */
function patiently(): RetryOptions {
  return retries(500);
}

function retries(attempts: number): RetryOptions {
  const options = new df.RetryOptions(1000, attempts);
  options.backoffCoefficient = 2;
  options.maxRetryIntervalInMilliseconds = 60_000;
  return options;
}

df.app.orchestration(replayOrchestrator, replay);
