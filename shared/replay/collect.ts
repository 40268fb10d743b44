import { beginReplay, writeProgress } from "../ledgers/replays.ts";
import { type ReplayItem, writeItems } from "../ledgers/replay-items.ts";
import { openReplay } from "./replay-context.ts";
import { type Collected, progressOf, type Task } from "./run.ts";
import { selectPage } from "./select.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";

/**
 * Finds the next items and writes them down, and does no more: made twice, it finds and writes the same ones. Only what
 * is written down is taken, by the next step.
 */
export async function collectItems(services: Services, log: Log, { run }: Task): Promise<Collected> {
  const { tenantId, replayId, total, after } = run;
  const { replay, replays, items } = await openReplay(services, log, tenantId, replayId);
  const { selector, createdAt, settings } = replay;
  const begun = await beginReplay(replays, tenantId, replayId);
  if (begun !== undefined) log.event("replay.started", { tenantId, runId: replayId });
  const room = settings.maxItems - total;
  const page = await selectPage(services, tenantId, selector, createdAt, Math.min(pageSize, room), after);
  const found = page.items.map((selected, index): ReplayItem => ({ number: total + index, selected }));
  await writeItems(items, tenantId, replayId, found);
  const isFull = found.length === room;
  const more =
    isFull &&
    page.after !== undefined &&
    (await selectPage(services, tenantId, selector, createdAt, 1, page.after)).items.length > 0;
  await writeProgress(replays, tenantId, replayId, progressOf({ ...run, total: total + found.length, more }));
  return {
    found: found.length,
    more,
    cancelled: replay.cancelledBy !== undefined,
    ...(isFull || page.after === undefined ? {} : { after: page.after }),
  };
}

const pageSize = 100;
