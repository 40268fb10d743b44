import type { TableClient } from "@azure/data-tables";

import { newId, shardOf } from "../envelope/ids.ts";
import { failureClasses, type FailureClass, type FailureFamily } from "../failures/classes.ts";
import { failureMachine, type FailureState } from "../machines/failure.ts";
import { mayMove } from "../machines/machine.ts";
import { indexedOf, indexKeyOf } from "./failure-index-row.ts";
import { packText, unpackText } from "./long-text.ts";
import { isStatus } from "./storage-error.ts";

/**
 * Failures: one row for whatever went wrong with one piece of work, however many attempts it took, and the dead
 * letters among them. Beside it an index of those in each state, kept a superset: its row is written before the
 * failure's and the old one removed after, so that a crash leaves one too many, never one too few. A reader checks
 * with the failure itself. The revision in the key keeps a late removal from taking a newer row along.
 *
 *   failures       PK <tenantId>|<shard>        RK <failureId>
 *   failureindex   PK <tenantId>|<state>        RK <ms until the end of time>|<failureId>|<revision>
 *
 * Whoever looks through the index is in `failure-index.ts`.
 */
export const failuresTable = "failures";
export const failureIndexTable = "failureindex";

export interface FailureTables {
  readonly failures: TableClient;
  readonly index: TableClient;
}

export const failureOrigins = ["route", "ingest", "bus"] as const;
export type FailureOrigin = (typeof failureOrigins)[number];

export interface Failure {
  readonly tenantId: string;
  /** Of a route: the work item's id. */
  readonly failureId: string;
  readonly origin: FailureOrigin;
  readonly state: FailureState;
  readonly classification: FailureClass;
  readonly family: FailureFamily;
  readonly code: string;
  readonly message: string;
  readonly httpStatus?: number;
  readonly attempts: number;
  /** What was being done: `claim`, `side-effect`, `normalise`. */
  readonly currentStep: string;
  readonly routeName: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly correlationId: string;
  readonly payloadHash: string;
  readonly firstFailedAt: Date;
  readonly lastFailedAt: Date;
  readonly nextAttemptAt?: Date;
  readonly mayHaveHappened: boolean;
  readonly replayId?: string;
  /** The work item with its envelope, or whatever the message held, as JSON. */
  readonly workItem: string;
  readonly revision: number;
}

export type FailureReport = Omit<Failure, "family" | "firstFailedAt" | "revision">;

interface FailureRow extends Omit<Failure, "tenantId" | "failureId" | "workItem"> {
  readonly workItem0: string;
  readonly writer: string;
}

/**
 * Records another failed attempt: the first makes the failure, the others move it. One that has been dealt with stays
 * as it is: what is reported then is an echo of before.
 */
export async function recordFailure(tables: FailureTables, report: FailureReport): Promise<Failure> {
  return change(tables, report.tenantId, report.failureId, (found) => {
    if (found !== undefined && !mayMove(failureMachine, found.state, report.state)) return found;
    return {
      ...report,
      family: failureClasses[report.classification].family,
      firstFailedAt: found?.firstFailedAt ?? report.lastFailedAt,
      revision: (found?.revision ?? 0) + 1,
    };
  });
}

/** Moves a failure that is there; undefined if there is none, or it may not move there. */
export function moveFailure(
  tables: FailureTables,
  tenantId: string,
  failureId: string,
  state: FailureState,
  fields: Partial<Pick<Failure, "replayId" | "lastFailedAt" | "nextAttemptAt">> = {},
): Promise<Failure | undefined> {
  const mayGo = (found: Failure): boolean => mayMove(failureMachine, found.state, state);
  return changeIf(tables, tenantId, failureId, mayGo, (found) => ({ ...found, ...fields, state }));
}

/**
 * Takes a failure for a replay. One that another replay has is left to it, unless that is `takeFrom`, which has ended
 * without reaching it. Undefined if it may not be taken.
 */
export function takeForReplay(
  tables: FailureTables,
  tenantId: string,
  failureId: string,
  replayId: string,
  takeFrom?: string,
): Promise<Failure | undefined> {
  const mayTake = ({ state, replayId: owner }: Failure): boolean =>
    mayMove(failureMachine, state, "ReadyToReplay") &&
    (state !== "ReadyToReplay" || owner === undefined || owner === replayId || owner === takeFrom);
  return changeIf(tables, tenantId, failureId, mayTake, (found) => ({
    ...found,
    replayId,
    state: "ReadyToReplay",
  }));
}

/** Puts a failure back that a replay has taken and did not do. One that has moved on meanwhile stays where it is. */
export function returnFromReplay(
  tables: FailureTables,
  tenantId: string,
  failureId: string,
  replayId: string,
  state: FailureState,
): Promise<Failure | undefined> {
  const isOurs = (found: Failure): boolean => found.state === "ReadyToReplay" && found.replayId === replayId;
  return changeIf(tables, tenantId, failureId, isOurs, ({ replayId: _, ...found }) => ({ ...found, state }));
}

/** Undefined where there is none, or it is not as wanted. */
async function changeIf(
  tables: FailureTables,
  tenantId: string,
  failureId: string,
  wanted: (found: Failure) => boolean,
  next: (found: Failure) => Failure,
): Promise<Failure | undefined> {
  let isRefused = false;
  const changed = await change(tables, tenantId, failureId, (found) => {
    isRefused = found === undefined || !wanted(found);
    return found === undefined || isRefused ? found : { ...next(found), revision: found.revision + 1 };
  });
  return isRefused ? undefined : changed;
}

const mostTurns = 20;

/** `next` answers with what it was given where nothing is to change. */
async function change<Found extends Failure | undefined>(
  { failures, index }: FailureTables,
  tenantId: string,
  failureId: string,
  next: (found: Failure | undefined) => Found,
): Promise<Found> {
  for (let turn = 0; turn < mostTurns; turn++) {
    const found = await findWithEtag(failures, tenantId, failureId);
    const failure = next(found?.failure);
    if (failure === undefined || failure === found?.failure) return failure;
    await index.upsertEntity({ ...indexKeyOf(failure), ...indexedOf(failure) }, "Replace");
    const writer = newId();
    try {
      const row = { ...keyOf(tenantId, failureId), ...toRow(failure), writer };
      if (found === undefined) await failures.createEntity(row);
      else await failures.updateEntity(row, "Replace", { etag: found.etag });
    } catch (error) {
      if (!isStatus(error, 409) && !isStatus(error, 412)) throw error;
      // A write of ours whose answer was lost looks like somebody else's, but for the name in it.
      const winner = await findWithEtag(failures, tenantId, failureId);
      if (winner?.writer !== writer) {
        const isSameRow = winner !== undefined && sameKey(winner.failure, failure);
        if (!isSameRow) await forget(index, failure);
        continue;
      }
    }
    if (found !== undefined) await forget(index, found.failure);
    return failure;
  }
  throw new Error(`Failure ${failureId} is being changed by too many at once`);
}

async function forget(index: TableClient, failure: Failure): Promise<void> {
  const { partitionKey, rowKey } = indexKeyOf(failure);
  await index.deleteEntity(partitionKey, rowKey).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}

export async function findFailure(
  table: TableClient,
  tenantId: string,
  failureId: string,
): Promise<Failure | undefined> {
  return (await findWithEtag(table, tenantId, failureId))?.failure;
}

async function findWithEtag(
  table: TableClient,
  tenantId: string,
  failureId: string,
): Promise<{ failure: Failure; etag: string; writer: string } | undefined> {
  try {
    const { partitionKey, rowKey } = keyOf(tenantId, failureId);
    const { etag, ...row } = await table.getEntity<FailureRow>(partitionKey, rowKey);
    return { failure: toFailure(tenantId, failureId, row), etag, writer: row.writer };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function keyOf(tenantId: string, failureId: string): { partitionKey: string; rowKey: string } {
  return { partitionKey: `${tenantId}|${shardOf(failureId)}`, rowKey: failureId };
}

function sameKey(one: Failure, other: Failure): boolean {
  return JSON.stringify(indexKeyOf(one)) === JSON.stringify(indexKeyOf(other));
}

function toRow({ tenantId: _, failureId: __, workItem, ...row }: Failure): object {
  return { ...row, ...packText("workItem", workItem) };
}

function toFailure(tenantId: string, failureId: string, row: FailureRow): Failure {
  return {
    tenantId,
    failureId,
    origin: row.origin,
    state: row.state,
    classification: row.classification,
    family: row.family,
    code: row.code,
    message: row.message,
    attempts: row.attempts,
    currentStep: row.currentStep,
    routeName: row.routeName,
    objectType: row.objectType,
    objectId: row.objectId,
    correlationId: row.correlationId,
    payloadHash: row.payloadHash,
    firstFailedAt: row.firstFailedAt,
    lastFailedAt: row.lastFailedAt,
    mayHaveHappened: row.mayHaveHappened,
    workItem: unpackText("workItem", { ...row }) ?? "",
    revision: row.revision,
    ...(row.httpStatus === undefined ? {} : { httpStatus: row.httpStatus }),
    ...(row.nextAttemptAt === undefined ? {} : { nextAttemptAt: row.nextAttemptAt }),
    ...(row.replayId === undefined ? {} : { replayId: row.replayId }),
  };
}
