import { type Action, actionType } from "./actions.ts";
import type { HistoryEvent } from "./history.ts";
import { replay, type ReplayOutcome, type Self } from "./replay.ts";
import { hostSemantics, sdkSemantics } from "./semantics.ts";

/** The orchestrator is one that the platform would run wrongly, without saying so. */
export class Divergence extends Error {
  override readonly name = "Divergence";
}

/**
 * Host and SDK have to give every id the same meaning. Where they do not, the platform takes the answer to one
 * task for the answer to another; this host refuses instead.
 */
export function guardedReplay(
  history: readonly HistoryEvent[],
  actions: readonly Action[],
  self: Self,
): ReplayOutcome {
  if (!canDiverge(actions)) return inTime(replay(history, actions, self));
  // Without the check of the history first: where the two notions part, that says more than what follows from it.
  const host = replay(history, actions, self, { ...hostSemantics, checksHistory: false });
  const sdk = replay(history, actions, self, sdkSemantics);
  compare(host.ids, sdk.ids);
  compareCarried(host, sdk);
  return inTime(replay(history, actions, self));
}

function inTime(outcome: ReplayOutcome): ReplayOutcome {
  if (!outcome.outOfTime) return outcome;
  throw new Divergence(
    "This orchestrator would wait forever on Azure: its retries ended because of retryTimeoutInMilliseconds, which " +
      "the SDK does not notice. Limit them by maxNumberOfAttempts instead.",
  );
}

/** Only where tasks run side by side can the two notions differ. */
function canDiverge(actions: readonly Action[]): boolean {
  return actions.some(
    ({ actionType: type }) =>
      type === actionType.WhenAll || type === actionType.WhenAny || type === actionType.CallHttp,
  );
}

function compare(host: readonly string[], sdk: readonly string[]): void {
  const at = host.findIndex((label, id) => id < sdk.length && label !== sdk[id]);
  if (at === -1) return;
  throw new Divergence(
    `This orchestrator would be corrupted on Azure: step ${at} is ${host[at]} to the host but ${sdk[at]} to the SDK, so ` +
      "one would be taken for the other. It happens when a call with retries runs inside Task.all or Task.any and the " +
      "orchestrator goes on while it is still retrying: put each such call into a sub-orchestration that catches its " +
      "failure and returns it, and fan out over those. It also happens when a timer further away than six days is " +
      "cancelled: wait in shorter steps instead.",
  );
}

/** To the host a cancelled timer is over at once, so what it raced comes after a continueAsNew that followed. */
function compareCarried(host: ReplayOutcome, sdk: ReplayOutcome): void {
  const again = host.carried.find((event) => sdk.heard.includes(event));
  if (again === undefined) return;
  throw new Divergence(
    `This orchestrator would run in circles on Azure: event '${again.Name}', which it has dealt with, would be raised ` +
      "again for the generation that continueAsNew begins. It happens when the event won against a timer in Task.any " +
      "and the timer was cancelled. Leave the timer alone: continueAsNew ends it anyway.",
  );
}
