import type { TableClient } from "@azure/data-tables";

import { newId, shardOf } from "../envelope/ids.ts";
import { failureClasses, type FailureClass, type FailureFamily } from "../failures/classes.ts";
import { failureMachine, type FailureState } from "../machines/failure.ts";
import { mayMove } from "../machines/machine.ts";
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
export async function moveFailure(
  tables: FailureTables,
  tenantId: string,
  failureId: string,
  state: FailureState,
  fields: Partial<Pick<Failure, "replayId" | "lastFailedAt" | "nextAttemptAt">> = {},
): Promise<Failure | undefined> {
  let isRefused = false;
  const moved = await change(tables, tenantId, failureId, (found) => {
    isRefused = found === undefined || !mayMove(failureMachine, found.state, state);
    return found === undefined || isRefused
      ? found
      : { ...found, ...fields, state, revision: found.revision + 1 };
  });
  return isRefused ? undefined : moved;
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
    await index.upsertEntity({ ...indexKeyOf(failure) }, "Replace");
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

export interface FailurePage {
  readonly items: readonly Failure[];
  readonly after?: string;
}

const mostRowsLookedAt = 1000;

/** The failures in a state, newest first. */
export async function listFailures(
  { failures, index }: FailureTables,
  query: {
    readonly tenantId: string;
    readonly state: FailureState;
    readonly limit: number;
    readonly after?: string;
    readonly accepts: (failure: Failure) => boolean;
  },
): Promise<FailurePage> {
  const items: Failure[] = [];
  const from = query.after === undefined ? "" : ` and RowKey gt '${query.after}'`;
  const filter = `PartitionKey eq '${query.tenantId}|${query.state}'${from}`;
  let lookedAt = 0;
  for await (const { rowKey = "" } of index.listEntities<object>({ queryOptions: { filter } })) {
    const [, failureId = "", revision] = rowKey.split("|");
    const failure = await findFailure(failures, query.tenantId, failureId);
    // A row left over by a crash, or one whose failure is just being written.
    const isCurrent = failure?.state === query.state && failure.revision === Number(revision);
    if (isCurrent && query.accepts(failure)) items.push(failure);
    if (items.length === query.limit || ++lookedAt === mostRowsLookedAt) return { items, after: rowKey };
  }
  return { items };
}

function keyOf(tenantId: string, failureId: string): { partitionKey: string; rowKey: string } {
  return { partitionKey: `${tenantId}|${shardOf(failureId)}`, rowKey: failureId };
}

const endOfTime = 99_999_999_999_999;

function indexKeyOf(failure: Failure): { partitionKey: string; rowKey: string } {
  const reversed = String(endOfTime - failure.lastFailedAt.getTime()).padStart(14, "0");
  return {
    partitionKey: `${failure.tenantId}|${failure.state}`,
    rowKey: `${reversed}|${failure.failureId}|${failure.revision}`,
  };
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
