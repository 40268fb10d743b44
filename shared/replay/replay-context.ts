import type { TableClient } from "@azure/data-tables";

import { replayItemsTable } from "../ledgers/replay-items.ts";
import { findReplay, type Replay, replaysTable } from "../ledgers/replays.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import type { Judging } from "./judged.ts";
import type { Selector } from "./selector.ts";
import { isOver } from "./states.ts";

/** What the steps of a replay share. */
export interface ReplayContext {
  readonly services: Services;
  readonly log: Log;
  readonly replay: Replay;
  readonly replays: TableClient;
  readonly items: TableClient;
  readonly judging: Judging;
}

export async function openReplay(
  services: Services,
  log: Log,
  tenantId: string,
  replayId: string,
): Promise<ReplayContext> {
  const replays = await services.platform.table(replaysTable);
  const items = await services.platform.table(replayItemsTable);
  const replay = await findReplay(replays, tenantId, replayId);
  if (replay === undefined) throw new Error(`There is no replay ${replayId}`);
  const judging = {
    services,
    tenantId,
    config: replay.settings.config,
    now: new Date(),
    replayId,
    isRunning: runningReplays(replays, tenantId),
    ...routeOf(replay.selector),
  };
  return { services, log, replay, replays, items, judging };
}

export function routeOf(selector: Selector): Pick<Judging, "routeName"> {
  const routeName = "events" in selector ? selector.events.routeName : undefined;
  return routeName === undefined ? {} : { routeName };
}

/** Asks for each replay once. One that is not there any more does not run. */
export function runningReplays(table: TableClient, tenantId: string): Judging["isRunning"] {
  const asked = new Map<string, Promise<boolean>>();
  const ask = async (replayId: string): Promise<boolean> => {
    const replay = await findReplay(table, tenantId, replayId);
    return replay !== undefined && !isOver(replay.state);
  };
  return (replayId) => {
    const answer = asked.get(replayId) ?? ask(replayId);
    asked.set(replayId, answer);
    return answer;
  };
}
