import { readItems, type ReplayItem, writeItems } from "../ledgers/replay-items.ts";
import { writeProgress } from "../ledgers/replays.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { judge } from "./judge.ts";
import type { Judged } from "./judged.ts";
import { countOf, type Outcome } from "./outcomes.ts";
import { openReplay, type ReplayContext } from "./replay-context.ts";
import { afterRunning, progressOf, type Ran, type Task } from "./run.ts";
import { failItem, runItem } from "./run-item.ts";

/** An item on the point of being done; one that could not be judged has an error. */
interface Ready {
  readonly item: ReplayItem;
  readonly judged?: Judged;
  readonly error?: unknown;
}

/** An item may take four minutes, with a vendor that is asked first and slow at both; a function is ended after five. */
const patienceMs = 45_000;

/** Does the items of a chunk side by side, but those of one object one after the other: they may build on each other. */
export async function runChunk(
  services: Services,
  log: Log,
  task: Task,
  giveUpAt = Date.now() + patienceMs,
): Promise<Ran> {
  const { run, from, to } = task;
  const { tenantId, replayId } = run;
  const context = await openReplay(services, log, tenantId, replayId);
  if (context.replay.cancelledBy !== undefined) return { counts: {}, cancelled: true };
  const items = await readItems(context.items, tenantId, replayId, from, to);
  const outcomes = await outcomesOf(context, items, giveUpAt);
  const ran: Ran = { counts: countOf(outcomes), cancelled: false };
  if (outcomes.length < items.length) return { ...ran, unfinished: true };
  await writeProgress(context.replays, tenantId, replayId, progressOf(afterRunning(task, ran)));
  return ran;
}

async function outcomesOf(
  context: ReplayContext,
  items: readonly ReplayItem[],
  giveUpAt: number,
): Promise<Outcome[]> {
  const open = items.filter(({ outcome }) => outcome === undefined);
  const ready = await Promise.all(open.map((item) => judged(context, item)));
  const { tenantId, replayId } = context.replay;
  const runInTurn = async (group: readonly Ready[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const { item, judged: how, error } of group) {
      if (Date.now() >= giveUpAt) break;
      const done = await (how === undefined ? failItem(context, item, error) : runItem(context, item, how));
      await writeItems(context.items, tenantId, replayId, [done]);
      outcomes.push(done.outcome ?? "skipped");
    }
    return outcomes;
  };
  const settled = await Promise.allSettled([...byObject(ready).values()].map(runInTurn));
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    throw new Error("A chunk of a replay could not be finished", { cause: failed.reason });
  }
  return [
    ...items.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome])),
    ...settled.flatMap((result) => (result.status === "fulfilled" ? result.value : [])),
  ];
}

async function judged(context: ReplayContext, item: ReplayItem): Promise<Ready> {
  try {
    return { item, judged: await judge(context.judging, item.selected) };
  } catch (error) {
    return { item, error };
  }
}

function byObject(ready: readonly Ready[]): ReadonlyMap<string, readonly Ready[]> {
  const groups = new Map<string, Ready[]>();
  for (const each of ready) {
    const { event, failure } = each.judged ?? {};
    const key = `${event?.objecttype ?? failure?.objectType ?? ""}|${event?.objectid ?? failure?.objectId ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups;
}
