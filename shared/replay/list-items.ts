import { readItems, type ReplayItem, replayItemsTable } from "../ledgers/replay-items.ts";
import type { Replay } from "../ledgers/replays.ts";
import type { Services } from "../services.ts";

/** A page of a replay's items in the order they are done; `after` is the number of the last one shown. */
export async function listReplayItems(
  services: Services,
  { tenantId, replayId, progress }: Replay,
  limit: number,
  after?: string,
): Promise<{ readonly items: readonly ReplayItem[]; readonly after?: string }> {
  const to = after === undefined ? progress.total : Math.min(progress.total, toNumber(after));
  const from = Math.max(0, to - limit);
  const table = await services.platform.table(replayItemsTable);
  const items = await readItems(table, tenantId, replayId, from, to);
  return from > 0 ? { items, after: String(from) } : { items };
}

/** Whatever else a cursor says leads to an empty page. */
function toNumber(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : 0;
}
