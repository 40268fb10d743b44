import { Fault } from "../faults.ts";
import { type Failure, findFailure } from "../ledgers/failures.ts";
import type { Services } from "../services.ts";
import type { Selector } from "./selector.ts";
import { someAtATime } from "./some-at-a-time.ts";

const atATime = 32;

/**
 * Failures that are named one by one in the order every other selection has. One that is not there, or is another
 * tenant's, is a mistake worth telling before anything begins.
 */
export async function newestFirst(
  services: Services,
  tenantId: string,
  selector: Selector,
): Promise<Selector> {
  if (!("failureIds" in selector)) return selector;
  const found = await someAtATime(selector.failureIds, atATime, async (failureId) => {
    const failure = await findFailure(services.failures.failures, tenantId, failureId);
    if (failure === undefined) throw new Fault("not-found", `There is no failure ${failureId}.`);
    return failure;
  });
  const later = (one: Failure, other: Failure): number =>
    other.lastFailedAt.getTime() - one.lastFailedAt.getTime();
  return { failureIds: found.toSorted(later).map(({ failureId }) => failureId) };
}
