import type { TableClient } from "@azure/data-tables";

import { newId } from "../envelope/ids.ts";
import { mayMove } from "../machines/machine.ts";
import type { Counts } from "../replay/outcomes.ts";
import type { ReplaySettings, Selector } from "../replay/selector.ts";
import { type EndState, isReplayState, replayMachine, type ReplayState } from "../replay/states.ts";
import { packText, unpackText } from "./long-text.ts";
import { isStatus } from "./storage-error.ts";

/**
 * Replays: what a person asked to have done again, and how far it is. The items are in `replay-items.ts`.
 *
 *   PK <tenantId>   RK <replayId>      an id begins with the ms until the end of time, so the newest come first
 */
export const replaysTable = "replays";

export interface Replay {
  readonly tenantId: string;
  readonly replayId: string;
  readonly state: ReplayState;
  readonly selector: Selector;
  readonly settings: ReplaySettings;
  readonly createdAt: Date;
  /** The API key's id. */
  readonly createdBy: string;
  readonly cancelledBy?: string;
  /** Written by one step after the other with its whole value: a step that runs twice changes nothing. */
  readonly progress: ReplayProgress;
  readonly finishedAt?: Date;
  /** Why it ended before its end. */
  readonly reason?: string;
}

export interface ReplayProgress {
  /** Items found so far, and whether more matched than it may have. */
  readonly total: number;
  readonly more: boolean;
  /** From 1; 0 while items are still being found. */
  readonly stage: number;
  readonly counts: Counts;
}

export const noProgress: ReplayProgress = { total: 0, more: false, stage: 0, counts: {} };

interface Row extends Pick<Replay, "state" | "createdAt" | "createdBy"> {
  readonly settings: string;
  readonly progress: string;
  readonly cancelledBy?: string;
  readonly finishedAt?: Date;
  readonly reason?: string;
}

const endOfTime = 99_999_999_999_999;

/** Also the id of its orchestration. */
export function newReplayId(now: Date): string {
  return `${String(endOfTime - now.getTime()).padStart(14, "0")}-${newId().slice(0, 16)}`;
}

export async function createReplay(
  table: TableClient,
  replay: Pick<Replay, "tenantId" | "replayId" | "selector" | "settings" | "createdAt" | "createdBy">,
): Promise<void> {
  const row: Row = {
    state: "Pending",
    createdAt: replay.createdAt,
    createdBy: replay.createdBy,
    settings: JSON.stringify(replay.settings),
    progress: JSON.stringify(noProgress),
  };
  const selector = packText("selector", JSON.stringify(replay.selector));
  await table.createEntity({ ...keyOf(replay.tenantId, replay.replayId), ...row, ...selector });
}

export async function findReplay(
  table: TableClient,
  tenantId: string,
  replayId: string,
): Promise<Replay | undefined> {
  return (await findWithEtag(table, tenantId, replayId))?.replay;
}

/** The newest first. */
export async function listReplays(
  table: TableClient,
  tenantId: string,
  limit: number,
  after?: string,
): Promise<Replay[]> {
  const filter = `PartitionKey eq '${tenantId}' and RowKey gt '${after ?? ""}'`;
  const found: Replay[] = [];
  for await (const row of table.listEntities<Row>({ queryOptions: { filter } })) {
    found.push(toReplay(tenantId, row.rowKey ?? "", row));
    if (found.length === limit) break;
  }
  return found;
}

export async function writeProgress(
  table: TableClient,
  tenantId: string,
  replayId: string,
  progress: ReplayProgress,
): Promise<void> {
  const row = { ...keyOf(tenantId, replayId), progress: JSON.stringify(progress) };
  await table.updateEntity(row, "Merge");
}

/** Tells the replay to stop at its next step. */
export async function askToCancel(
  table: TableClient,
  tenantId: string,
  replayId: string,
  by: string,
): Promise<void> {
  await table.updateEntity({ ...keyOf(tenantId, replayId), cancelledBy: by }, "Merge");
}

export function beginReplay(
  table: TableClient,
  tenantId: string,
  replayId: string,
): Promise<Replay | undefined> {
  return move(table, tenantId, replayId, "Running", {});
}

/** Answers with the replay if it ended by this very call; undefined if it was over before. */
export function endReplay(
  table: TableClient,
  tenantId: string,
  replayId: string,
  state: EndState,
  fields: { readonly finishedAt: Date; readonly reason?: string },
): Promise<Replay | undefined> {
  return move(table, tenantId, replayId, state, fields);
}

async function move(
  table: TableClient,
  tenantId: string,
  replayId: string,
  state: ReplayState,
  fields: object,
): Promise<Replay | undefined> {
  for (;;) {
    const found = await findWithEtag(table, tenantId, replayId);
    if (found === undefined || !mayMove(replayMachine, found.replay.state, state)) return undefined;
    try {
      const change = { ...keyOf(tenantId, replayId), state, ...fields };
      await table.updateEntity(change, "Merge", { etag: found.etag });
      return { ...found.replay, state, ...fields };
    } catch (error) {
      if (!isStatus(error, 412)) throw error;
    }
  }
}

async function findWithEtag(
  table: TableClient,
  tenantId: string,
  replayId: string,
): Promise<{ readonly replay: Replay; readonly etag: string } | undefined> {
  try {
    const { partitionKey, rowKey } = keyOf(tenantId, replayId);
    const row = await table.getEntity<Row>(partitionKey, rowKey);
    return { replay: toReplay(tenantId, replayId, row), etag: row.etag };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function keyOf(tenantId: string, replayId: string): { partitionKey: string; rowKey: string } {
  return { partitionKey: tenantId, rowKey: replayId };
}

function toReplay(tenantId: string, replayId: string, row: Row): Replay {
  return {
    tenantId,
    replayId,
    state: isReplayState(row.state) ? row.state : "Stopped",
    selector: parsed<Selector>(unpackText("selector", { ...row }) ?? "", isSelector),
    settings: parsed<ReplaySettings>(row.settings, isObject),
    createdAt: row.createdAt,
    createdBy: row.createdBy,
    progress: parsed<ReplayProgress>(row.progress, isObject),
    ...(row.cancelledBy === undefined ? {} : { cancelledBy: row.cancelledBy }),
    ...(row.finishedAt === undefined ? {} : { finishedAt: row.finishedAt }),
    ...(row.reason === undefined ? {} : { reason: row.reason }),
  };
}

/** Only what was checked at the API is ever stored here. */
function parsed<T>(text: string, is: (value: unknown) => boolean): T {
  const value: unknown = JSON.parse(text);
  const isIt = (found: unknown): found is T => is(found);
  if (!isIt(value)) throw new Error("What is stored is not a replay");
  return value;
}

function isSelector(value: unknown): boolean {
  return isObject(value) && ("failureIds" in value || "failures" in value || "events" in value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
