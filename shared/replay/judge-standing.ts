import type { Failure } from "../ledgers/failures.ts";
import type { Judging } from "./judged.ts";
import type { Verdict } from "./verdicts.ts";

/** Whether a failure is anybody's to replay; undefined when it is. */
export async function judgeStanding(
  { replayId, isRunning }: Judging,
  failure: Failure,
): Promise<{ readonly verdict: Verdict; readonly detail?: string } | undefined> {
  switch (failure.state) {
    case "Resolved":
      return { verdict: "resolved-already" };
    case "Retrying": {
      const at = failure.nextAttemptAt?.toISOString() ?? "soon";
      return { verdict: "taken", detail: `Its next attempt is due at ${at}.` };
    }
    case "ReadyToReplay": {
      const owner = failure.replayId;
      if (owner === undefined || owner === replayId || !(await isRunning(owner))) return undefined;
      return { verdict: "taken", detail: `Replay ${owner} has it.` };
    }
    case "Parked":
    case "Quarantined":
    case "Discarded":
      return undefined;
  }
}
