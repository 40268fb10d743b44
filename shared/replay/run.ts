import type { ReplayProgress } from "../ledgers/replays.ts";
import { type Counts, countsAs, plus } from "./outcomes.ts";
import { decide, firstStage, nextChunk, type Stage, type StageSettings } from "./stages.ts";
import type { EndState } from "./states.ts";

/**
 * How far a replay's orchestration is. All it needs to go on is in here, and no payload: it is the input of every step,
 * and of the next generation.
 *
 *   collect ──► take ──► run ──► return ──► end
 *                  `───────┴── cancelled, stopped: what was not reached goes back
 */
export interface Run {
  readonly tenantId: string;
  readonly replayId: string;
  readonly settings: StageSettings;
  readonly phase: "collect" | "take" | "run" | "return" | "end";
  /** Items found so far; they are numbered from 0, the newest first. */
  readonly total: number;
  /** Whether more matched than the replay may have. */
  readonly more: boolean;
  /** Where collecting goes on. */
  readonly after?: string;
  /** How many of them were taken, from number 0. */
  readonly taken: number;
  /** How many of them were dealt with, from the last number. */
  readonly reached: number;
  /** How many were given back, from number 0. */
  readonly returned: number;
  readonly stage: Stage;
  readonly counts: Counts;
  readonly ending?: Ending;
}

export interface Ending {
  readonly state: EndState;
  readonly reason?: string;
}

/** What a step has to do: the items from the first number to before the last. */
export interface Task {
  readonly run: Run;
  readonly from: number;
  readonly to: number;
}

export function newRun(tenantId: string, replayId: string, settings: StageSettings): Run {
  const { stages, stopAboveFailureRatio, ratePerMinute } = settings;
  return {
    tenantId,
    replayId,
    settings: { stages, stopAboveFailureRatio, ratePerMinute },
    phase: "collect",
    total: 0,
    more: false,
    taken: 0,
    reached: 0,
    returned: 0,
    stage: firstStage,
    counts: {},
  };
}

const itemsAtATime = 100;

/** The next step's items. Empty where the phase has none left. */
export function nextTask(run: Run): Task {
  switch (run.phase) {
    case "collect":
      return { run, from: run.total, to: run.total + itemsAtATime };
    case "take":
      return { run, from: run.taken, to: Math.min(run.total, run.taken + itemsAtATime) };
    case "run": {
      const to = run.total - run.reached;
      return { run, from: to - nextChunk(run.stage, to, run.settings), to };
    }
    case "return": {
      const unreached = run.total - run.reached;
      return { run, from: run.returned, to: Math.min(unreached, run.returned + itemsAtATime) };
    }
    case "end":
      return { run, from: 0, to: 0 };
  }
}

export interface Collected {
  readonly found: number;
  readonly after?: string;
  readonly more: boolean;
  readonly cancelled: boolean;
}

export function afterCollecting({ after: _, ...run }: Run, collected: Collected): Run {
  const { found, after, more, cancelled } = collected;
  const next = { ...run, total: run.total + found, more };
  if (cancelled) return ended(next, { state: "Cancelled" });
  return after === undefined ? { ...next, phase: "take" } : { ...next, after };
}

export function afterTaking({ run, to }: Task, { cancelled }: Pick<Ran, "cancelled">): Run {
  const next = { ...run, taken: to };
  if (cancelled) return ended(next, { state: "Cancelled" });
  return to < run.total ? next : { ...next, phase: "run" };
}

export interface Ran {
  readonly counts: Counts;
  readonly cancelled: boolean;
  /** The step's time was up before it came to all of its items: it is made again for the rest. */
  readonly unfinished?: boolean;
}

/** A replay that was called off has not done the chunk. */
export function afterRunning({ run, from, to }: Task, { counts, cancelled, unfinished }: Ran): Run {
  if (cancelled) return ended(run, { state: "Cancelled" });
  if (unfinished === true) return run;
  const size = to - from;
  const next = { ...run, reached: run.reached + size, counts: plus(run.counts, counts) };
  const decision = decide(run.stage, counts, size, from, run.settings);
  if (decision.kind === "stop") return ended(next, stoppedBy(run, counts));
  return from > 0 ? { ...next, stage: decision.stage } : ended(next, { state: "Completed" });
}

export function afterReturning({ run, to }: Task): Run {
  const next = { ...run, returned: to };
  return to < run.total - run.reached ? next : { ...next, phase: "end" };
}

/** What was not reached goes back first. */
export function ended(run: Run, ending: Ending): Run {
  const isAnyLeft = run.reached < run.total;
  return { ...run, phase: isAnyLeft ? "return" : "end", ending };
}

/** As a person sees it. */
export function progressOf({ phase, total, more, stage, counts }: Run): ReplayProgress {
  const isBegun = phase !== "collect" && phase !== "take";
  return { total, more, stage: isBegun ? stage.index + 1 : 0, counts };
}

function stoppedBy({ stage }: Run, counts: Counts): Ending {
  const failed = stage.failed + countsAs(counts, "failed");
  const settled = failed + stage.fine + countsAs(counts, "fine");
  return { state: "Stopped", reason: `In stage ${stage.index + 1}, ${failed} of ${settled} failed.` };
}
