import { returnFromReplay } from "../ledgers/failures.ts";
import { readItems } from "../ledgers/replay-items.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { openReplay } from "./replay-context.ts";
import type { Task } from "./run.ts";
import { someAtATime } from "./some-at-a-time.ts";

const atATime = 16;

/** What the replay has taken and did not reach goes back to where it was. */
export async function giveItemsBack(services: Services, log: Log, { run, from, to }: Task): Promise<void> {
  const { tenantId, replayId } = run;
  const { items } = await openReplay(services, log, tenantId, replayId);
  const unreached = await readItems(items, tenantId, replayId, from, to);
  await someAtATime(unreached, atATime, async ({ selected, formerState, outcome }) => {
    if (selected.kind === "event" || formerState === undefined || outcome !== undefined) return;
    await returnFromReplay(services.failures, tenantId, selected.failureId, replayId, formerState);
  });
}
