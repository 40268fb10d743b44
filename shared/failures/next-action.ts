import type { FailureState } from "../machines/failure.ts";
import type { FailureClass } from "./classes.ts";

interface About {
  readonly state: FailureState;
  readonly classification: FailureClass;
  readonly code: string;
  readonly routeName: string;
  readonly nextAttemptAt?: Date;
  readonly replayId?: string;
}

/** What a person does next about a failure. */
export function nextAction(failure: About): string {
  return byState[failure.state](failure);
}

const byState: Readonly<Record<FailureState, (failure: About) => string>> = {
  Retrying: ({ nextAttemptAt }) =>
    `Nothing: the next attempt is due ${nextAttemptAt === undefined ? "soon" : `at ${nextAttemptAt.toISOString()}`}.`,
  Parked: (failure) => byCode[failure.code]?.(failure) ?? byClass[failure.classification],
  Quarantined: (failure) => byCode[failure.code]?.(failure) ?? byClass[failure.classification],
  ReadyToReplay: ({ replayId = "" }) =>
    `Wait for replay ${replayId}. If that is over, the work waits on the queue or in the backlog of its route.`,
  Resolved: () => "Nothing: it was overcome.",
  Discarded: () => "Nothing, unless it is wanted after all: then replay it.",
};

const byCode: Readonly<Record<string, (failure: About) => string>> = {
  CONFIG_MISSING: ({ routeName }) =>
    routeName === "unmatched"
      ? "Add a route for the event, then replay it; or discard it."
      : `Put route '${routeName}' into the configuration, then replay it; or discard it.`,
  CONFIG_INVALID: ({ routeName }) => `Mend route '${routeName}', then replay it.`,
  IN_DOUBT: ({ routeName }) =>
    `Find out from the vendor whether it happened. If so, discard it; if not, set inDoubt of route '${routeName}' to retry ` +
    "and replay it.",
  SECRET_MISSING: () => "Store the secret that the message names, then replay it.",
  PAYLOAD_UNUSABLE: () =>
    "Mend the connection's normaliser settings, or have the source send it right; then replay it, or discard it.",
  KEY_INCOMPLETE: ({ routeName }) =>
    `Let route '${routeName}' use another key formula, then replay it; or discard it.`,
  BACKLOG_PARKED: () => "When what its route waited for is mended, replay it; or discard it.",
  BUS_DEAD_LETTER: () => "See in the log why its message could not be handled, then replay it.",
};

const byClass: Readonly<Record<FailureClass, string>> = {
  Transient: "See that the vendor works again, then replay it.",
  RateLimited: "Lower the rate of the route, or raise the vendor's limit; then replay it.",
  Auth: "Mend the credential, then replay it.",
  Validation: "See what the vendor refuses. Mend the route, then replay it; or discard it.",
  Poison: "See the message. Mend what it names, then replay it; or discard it.",
};
