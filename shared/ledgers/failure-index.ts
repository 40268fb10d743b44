import { odata, type TableClient } from "@azure/data-tables";

import type { FailureState } from "../machines/failure.ts";
import { type FailureHead, headOf, indexKeyOf, indexPartition, reversed } from "./failure-index-row.ts";
import { type Failure, type FailureTables, findFailure } from "./failures.ts";

export interface FailureQuery {
  readonly tenantId: string;
  readonly states: readonly FailureState[];
  /** Of the last failed attempt. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Where the last page ended. */
  readonly after?: string | undefined;
  readonly accepts: (head: FailureHead) => boolean;
}

export interface FailurePage {
  readonly items: readonly Failure[];
  readonly after?: string;
}

/** A look through so many rows ends a page even if few of them were wanted. */
const mostRowsLookedAt = 5000;
const readsAtATime = 32;

/** The failures in one of the states, newest first. */
export async function listFailures(
  { failures, index }: FailureTables,
  query: FailureQuery,
  limit: number,
): Promise<FailurePage> {
  const items: Failure[] = [];
  let wanted: FailureHead[] = [];
  let lookedAt = 0;
  let last = "";
  const take = async (): Promise<void> => {
    const found = await Promise.all(wanted.map((head) => current(failures, query.tenantId, head)));
    items.push(...found.filter((failure) => failure !== undefined));
    wanted = [];
  };
  for await (const head of headsOf(index, query, limit)) {
    last = head.key;
    if (query.accepts(head)) wanted.push(head);
    if (wanted.length === Math.min(readsAtATime, limit - items.length)) await take();
    if (items.length === limit || ++lookedAt === mostRowsLookedAt) {
      await take();
      return { items, after: last };
    }
  }
  await take();
  return { items };
}

/** Undefined for a row left over by a crash, or one whose failure is just being written. */
async function current(
  table: TableClient,
  tenantId: string,
  { failureId, key, state }: FailureHead,
): Promise<Failure | undefined> {
  const failure = await findFailure(table, tenantId, failureId);
  // Two who made the same move at once differ in the time alone, which stands in the key as well.
  return failure?.state === state && indexKeyOf(failure).rowKey === key ? failure : undefined;
}

export interface FailureGroup {
  readonly routeName: string;
  readonly code: string;
  readonly classification: string;
  readonly count: number;
  readonly oldest: Date;
  readonly newest: Date;
  /** The newest of them. */
  readonly sampleFailureId: string;
}

/** The failures of the states by what went wrong where, the largest group first, out of the newest so many. */
export async function groupFailures(
  index: TableClient,
  query: FailureQuery,
): Promise<{ readonly groups: readonly FailureGroup[]; readonly complete: boolean }> {
  const groups = new Map<string, FailureGroup>();
  const seen = new Set<string>();
  let lookedAt = 0;
  let complete = true;
  for await (const head of headsOf(index, query, mostRowsLookedAt)) {
    if (lookedAt++ === mostRowsLookedAt) {
      complete = false;
      break;
    }
    // After a crash a failure may stand there twice.
    if (seen.has(head.failureId) || !query.accepts(head)) continue;
    seen.add(head.failureId);
    const key = JSON.stringify([head.routeName, head.code, head.classification]);
    groups.set(key, withOneMore(groups.get(key), head));
  }
  return { groups: [...groups.values()].toSorted((left, right) => right.count - left.count), complete };
}

function withOneMore(group: FailureGroup | undefined, head: FailureHead): FailureGroup {
  const { routeName, code, classification, lastFailedAt, failureId } = head;
  if (group !== undefined) return { ...group, count: group.count + 1, oldest: lastFailedAt };
  const times = { oldest: lastFailedAt, newest: lastFailedAt };
  return { routeName, code, classification, count: 1, ...times, sampleFailureId: failureId };
}

/** The partitions of the states in step with each other. */
async function* headsOf(
  index: TableClient,
  query: FailureQuery,
  expected: number,
): AsyncGenerator<FailureHead> {
  const pageSize = Math.min(1000, Math.max(50, expected * 2));
  const partitions = await Promise.all(
    query.states.map(async (state) => {
      const rows = rowsOf(index, query, state, pageSize);
      return { rows, next: await following(rows) };
    }),
  );
  for (;;) {
    const waiting = partitions.filter(({ next }) => next !== undefined);
    const [least] = waiting.toSorted((a, b) => ((a.next?.key ?? "") < (b.next?.key ?? "") ? -1 : 1));
    if (least?.next === undefined) return;
    yield least.next;
    least.next = await following(least.rows);
  }
}

async function following(rows: AsyncGenerator<FailureHead>): Promise<FailureHead | undefined> {
  const result = await rows.next();
  return result.done === true ? undefined : result.value;
}

async function* rowsOf(
  index: TableClient,
  { tenantId, from, to, after }: FailureQuery,
  state: FailureState,
  maxPageSize: number,
): AsyncGenerator<FailureHead> {
  const bounds = [
    `PartitionKey eq '${indexPartition(tenantId, state)}'`,
    ...(to === undefined ? [] : [`RowKey ge '${reversed(to)}'`]),
    ...(from === undefined ? [] : [`RowKey lt '${reversed(from)}}'`]),
    ...(after === undefined ? [] : [odata`RowKey gt ${after}`]),
  ];
  const rows = index.listEntities<Parameters<typeof headOf>[0]>({
    queryOptions: { filter: bounds.join(" and ") },
  });
  for await (const page of rows.byPage({ maxPageSize })) yield* page.map(headOf);
}
