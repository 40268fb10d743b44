import { machine } from "../machines/machine.ts";

/** A replay, from the moment a person asked for it until nothing more will be done. */
export const replayMachine = machine({
  name: "replay",
  start: ["Pending"],
  states: {
    Pending: { means: "It was asked for and has not begun.", next: ["Running", "Stopped", "Cancelled"] },
    Running: { means: "It is at work.", next: ["Completed", "Stopped", "Cancelled"] },
    Completed: { means: "Every item has been dealt with.", next: [] },
    Stopped: { means: "Too much failed. What it had not reached went back to where it was.", next: [] },
    Cancelled: {
      means: "A person called it off. What it had not reached went back to where it was.",
      next: [],
    },
  },
});

export type ReplayState = keyof typeof replayMachine.states;
export type EndState = Extract<ReplayState, "Completed" | "Stopped" | "Cancelled">;

export function isReplayState(text: string): text is ReplayState {
  return Object.hasOwn(replayMachine.states, text);
}

export function isOver(state: ReplayState): boolean {
  return replayMachine.states[state].next.length === 0;
}
