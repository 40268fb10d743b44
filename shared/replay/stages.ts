import { type Counts, countsAs } from "./outcomes.ts";

/**
 * How a replay goes about its items: a few first, and more only as long as they do not fail. Nothing here reads a clock
 * or a store, for the orchestrator runs it again over its history.
 */
export interface StageSettings {
  /** Sizes of the stages; the last repeats. */
  readonly stages: readonly number[];
  /** Above this part of a stage that failed nothing more is done. */
  readonly stopAboveFailureRatio: number;
  readonly ratePerMinute: number;
}

export interface Stage {
  /** From 0. */
  readonly index: number;
  /** Items of this stage that have been dealt with. */
  readonly reached: number;
  readonly fine: number;
  readonly failed: number;
}

export const firstStage: Stage = { index: 0, reached: 0, fine: 0, failed: 0 };

export function stageSize(stages: readonly number[], index: number): number {
  return stages[index] ?? stages.at(-1) ?? 1;
}

const mostAtATime = 20;
/** So that neither a cancelled replay goes on for long nor the rate is kept by long pauses between great bursts. */
const burstSeconds = 5;

/** How many items come next: never more than the stage has left, nor than the rate allows in a few seconds. */
export function nextChunk(stage: Stage, remaining: number, settings: StageSettings): number {
  const burst = Math.max(1, Math.floor((settings.ratePerMinute * burstSeconds) / 60));
  const left = stageSize(settings.stages, stage.index) - stage.reached;
  return Math.min(remaining, left, burst, mostAtATime);
}

/** How long after it began the next chunk may begin, if this one did so many. */
export function pauseMs(ran: number, { ratePerMinute }: StageSettings): number {
  return Math.ceil((ran * 60_000) / ratePerMinute);
}

export type Decision = { readonly kind: "go-on"; readonly stage: Stage } | { readonly kind: "stop" };

/**
 * After a chunk. A stage is judged by what failed of all that is settled, at its end; earlier only where the rest of it
 * could not change the judgement.
 */
export function decide(
  stage: Stage,
  counts: Counts,
  size: number,
  remaining: number,
  settings: StageSettings,
): Decision {
  const next: Stage = {
    index: stage.index,
    reached: stage.reached + size,
    fine: stage.fine + countsAs(counts, "fine"),
    failed: stage.failed + countsAs(counts, "failed"),
  };
  const whole = Math.min(stageSize(settings.stages, stage.index), next.reached + remaining);
  const isOver = next.reached >= whole;
  const judgedBy = isOver ? next.fine + next.failed : whole;
  if (next.failed > judgedBy * settings.stopAboveFailureRatio) return { kind: "stop" };
  return { kind: "go-on", stage: isOver ? { ...firstStage, index: stage.index + 1 } : next };
}
