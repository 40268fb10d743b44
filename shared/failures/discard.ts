import type { Caller } from "../access/caller.ts";
import { Fault } from "../faults.ts";
import { type Failure, findFailure, moveFailure } from "../ledgers/failures.ts";
import { thawObject } from "../ledgers/objects.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { Services } from "../services.ts";

/** A person lets a dead letter be. What its object was frozen for is over. */
export async function discardFailure(
  services: Services,
  caller: Caller,
  failureId: string,
  reason: string,
  isReplaying: (replayId: string) => Promise<boolean>,
): Promise<Failure> {
  const { tenantId, keyId } = caller;
  const found = await findFailure(services.failures.failures, tenantId, failureId);
  if (found === undefined) throw new Fault("not-found");
  if (found.state === "Discarded") return found;
  const { state, replayId } = found;
  if (state === "ReadyToReplay" && replayId !== undefined && (await isReplaying(replayId))) {
    throw new Fault("conflict", `Replay ${replayId} has it: cancel that first, or wait for its end.`);
  }
  const discarded = await moveFailure(services.failures, tenantId, failureId, "Discarded");
  if (discarded === undefined) {
    throw new Fault("conflict", `A failure in the state ${state} cannot be discarded.`);
  }
  await thawObject(services.tables.objects, discarded, failureId);
  await writeTimeline(services.commits.timeline, tenantId, discarded.correlationId, [
    {
      at: new Date(),
      kind: "discarded",
      stepId: failureId,
      ...(discarded.routeName === "" ? {} : { routeName: discarded.routeName }),
      details: { reason, by: keyId },
    },
  ]);
  return discarded;
}
