import type { FailureClass } from "../failures/classes.ts";
import type { FailureState } from "../machines/failure.ts";
import type { StageSettings } from "./stages.ts";

/** Failures that can be done again. Those that wait for their next attempt cannot, and those resolved need not. */
export const replayableStates = [
  "Parked",
  "Quarantined",
  "ReadyToReplay",
  "Discarded",
] as const satisfies readonly FailureState[];

export interface FailureSelector {
  /** Without it: parked and quarantined. */
  readonly state?: (typeof replayableStates)[number];
  readonly routeName?: string;
  readonly classification?: FailureClass;
  readonly code?: string;
  /** Time of the last failed attempt. */
  readonly from?: string;
  readonly to?: string;
}

export interface EventSelector {
  /** Time of receipt. */
  readonly from?: string;
  readonly to?: string;
  readonly sourceSystem?: string;
  readonly connectionId?: string;
  /** A pattern, as routes have it. */
  readonly subject?: string;
  /** Instead of time and kind. */
  readonly eventIds?: readonly string[];
  /** Only the work of this route; the others are left alone. */
  readonly routeName?: string;
}

/** What is to be done again: exactly one of these. */
export type Selector =
  | { readonly failureIds: readonly string[] }
  | { readonly failures: FailureSelector }
  | { readonly events: EventSelector };

/** One thing a replay is about. */
export type Selected =
  | { readonly kind: "failure"; readonly failureId: string }
  /** An event that came in, and the webhook it came with: where the correlation began. */
  | { readonly kind: "event"; readonly eventId: string; readonly correlationId: string };

/** By which configuration: the one that is current, or the one a failure was routed with. */
export type ConfigChoice = "current" | "pinned";

export interface ReplaySettings extends StageSettings {
  readonly config: ConfigChoice;
  readonly maxItems: number;
}

export const replayDefaults: ReplaySettings = {
  config: "current",
  ratePerMinute: 120,
  stages: [1, 2, 5, 20, 50, 100],
  stopAboveFailureRatio: 0.5,
  maxItems: 1000,
};
