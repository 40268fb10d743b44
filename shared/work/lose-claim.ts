import type { Claim } from "../ledgers/effects.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { logValuesOf, outcomeOf } from "./execution.ts";
import { scheduleWork } from "./schedule.ts";
import type { WorkItem, WorkOutcome } from "./work-item.ts";

const pauseMs = 2000;

/**
 * Somebody else holds the claim by now and decides what becomes of the effect. It may be other work with the same key,
 * which knows nothing of this one: so this attempt comes again, and finds in the ledger what has become of it.
 */
export async function loseClaim(
  services: Services,
  log: Log,
  item: WorkItem,
  { effect }: Claim,
): Promise<WorkOutcome> {
  await scheduleWork(services, item, new Date(Date.now() + pauseMs));
  log.event("work.lost-claim", { ...logValuesOf(item), idempotencyKey: effect.key });
  return outcomeOf("BUSY", effect);
}
