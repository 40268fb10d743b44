import type { Caller } from "../access/caller.ts";
import { Fault } from "../faults.ts";
import {
  askToCancel,
  createReplay,
  endReplay,
  findReplay,
  newReplayId,
  type Replay,
  replaysTable,
} from "../ledgers/replays.ts";
import type { Services } from "../services.ts";
import { replayOrchestrator } from "./names.ts";
import { ended, newRun, type Run } from "./run.ts";
import type { ReplaySettings, Selector } from "./selector.ts";
import { isOver } from "./states.ts";

/** The part of a durable client that replays need. */
export interface ReplayClient {
  startNew(name: string, options: { instanceId: string; input: unknown }): Promise<string>;
  getStatus(id: string): Promise<{ runtimeStatus: string }>;
}

export async function startReplay(
  services: Services,
  client: ReplayClient,
  caller: Caller,
  selector: Selector,
  settings: ReplaySettings,
  now: Date,
): Promise<Replay> {
  const { tenantId, keyId: createdBy } = caller;
  const replays = await services.platform.table(replaysTable);
  const replayId = newReplayId(now);
  await createReplay(replays, { tenantId, replayId, selector, settings, createdAt: now, createdBy });
  try {
    await start(client, newRun(tenantId, replayId, settings));
  } catch (error) {
    const reason = "It could not be started.";
    await endReplay(replays, tenantId, replayId, "Stopped", { finishedAt: now, reason });
    throw new Fault("unavailable", undefined, { cause: error, retryAfterSeconds: 5 });
  }
  return ownReplay(services, tenantId, replayId);
}

/** Called off at its next step, which gives back what was not reached. */
export async function cancelReplay(
  services: Services,
  client: ReplayClient,
  caller: Caller,
  replayId: string,
): Promise<Replay> {
  const { tenantId, keyId } = caller;
  const replay = await ownReplay(services, tenantId, replayId);
  if (replay.state === "Cancelled") return replay;
  if (isOver(replay.state)) throw new Fault("conflict", `The replay is over: ${replay.state}.`);
  await askToCancel(await services.platform.table(replaysTable), tenantId, replayId, keyId);
  if (!(await isAlive(client, replayId))) {
    const { total, more } = replay.progress;
    const lost: Run = { ...newRun(tenantId, replayId, replay.settings), total, more };
    await start(client, ended(lost, { state: "Cancelled" }));
  }
  return ownReplay(services, tenantId, replayId);
}

export async function ownReplay(services: Services, tenantId: string, replayId: string): Promise<Replay> {
  const replay = await findReplay(await services.platform.table(replaysTable), tenantId, replayId);
  if (replay === undefined) throw new Fault("not-found");
  return replay;
}

async function start(client: ReplayClient, run: Run): Promise<void> {
  await client.startNew(replayOrchestrator, { instanceId: run.replayId, input: run });
}

/** Whether its orchestration will take another step. One that is lost is made anew, to give back what was taken. */
async function isAlive(client: ReplayClient, replayId: string): Promise<boolean> {
  try {
    const { runtimeStatus } = await client.getStatus(replayId);
    return ["Running", "Pending", "ContinuedAsNew", "Suspended"].includes(runtimeStatus);
  } catch (error) {
    if (String(error).includes("HTTP 404")) return false;
    throw error;
  }
}
