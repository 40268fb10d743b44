import { machine } from "./machine.ts";

/** A failure, from the first attempt that failed until somebody or something has dealt with it. */
export const failureMachine = machine({
  name: "failure",
  start: ["Retrying", "Parked", "Quarantined"],
  states: {
    Retrying: {
      means: "The next attempt is scheduled.",
      next: ["Retrying", "Parked", "Quarantined", "Resolved"],
    },
    Parked: {
      means: "Attempts are used up or would be pointless. A dead letter.",
      next: ["ReadyToReplay", "Discarded", "Resolved", "Parked"],
    },
    Quarantined: {
      means: "The data cannot be used as they are. A dead letter.",
      next: ["ReadyToReplay", "Discarded", "Resolved", "Quarantined"],
    },
    ReadyToReplay: {
      means: "A person wants it done again; the replay has not reached it.",
      next: ["Retrying", "Parked", "Quarantined", "Resolved", "Discarded", "ReadyToReplay"],
    },
    Resolved: { means: "The side effect happened after all.", next: [] },
    Discarded: { means: "A person decided to let it be.", next: ["ReadyToReplay"] },
  },
});

export type FailureState = keyof typeof failureMachine.states;

export const deadLetterStates = ["Parked", "Quarantined", "ReadyToReplay"] as const satisfies FailureState[];
