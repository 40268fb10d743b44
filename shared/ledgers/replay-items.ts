import type { TableClient, TransactionAction } from "@azure/data-tables";

import type { FailureState } from "../machines/failure.ts";
import { isOutcome, type Outcome } from "../replay/outcomes.ts";
import type { Selected } from "../replay/selector.ts";
import { isVerdict, type Verdict } from "../replay/verdicts.ts";
import { isFailureState } from "./failure-index-row.ts";
import { packText, unpackText } from "./long-text.ts";

/**
 * What a replay is about, one row an item. Items are found newest first and numbered as they are found, and done from
 * the last to the first: the oldest is done first, and is the first row too.
 *
 *   PK <tenantId>|<replayId>   RK <99999 - number>
 */
export const replayItemsTable = "replayitems";

export interface ReplayItem {
  readonly number: number;
  readonly selected: Selected;
  /** Where its failure was before the replay took it; absent while it has not. */
  readonly formerState?: FailureState;
  readonly outcome?: Outcome;
  /** Why it was left where it was. */
  readonly verdict?: Verdict;
  readonly detail?: string;
  readonly doneAt?: Date;
  readonly works?: readonly ReplayedWork[];
}

export interface ReplayedWork {
  readonly workId: string;
  readonly routeName: string;
  readonly outcome: Outcome;
}

interface Row {
  readonly failureId?: string;
  readonly eventId?: string;
  readonly correlationId?: string;
  readonly formerState?: string;
  readonly outcome?: string;
  readonly verdict?: string;
  readonly detail?: string;
  readonly doneAt?: Date;
}

const lastNumber = 99_999;
const rowsInATransaction = 100;

/** Written again, by a step that runs twice, they are the same rows. */
export async function writeItems(
  table: TableClient,
  tenantId: string,
  replayId: string,
  items: readonly ReplayItem[],
): Promise<void> {
  for (let from = 0; from < items.length; from += rowsInATransaction) {
    const rows = items.slice(from, from + rowsInATransaction).map((item) => toRow(tenantId, replayId, item));
    await table.submitTransaction(rows.map((row): TransactionAction => ["upsert", { ...row }, "Replace"]));
  }
}

/** Those numbered `from` to `to - 1`, the last first. */
export async function readItems(
  table: TableClient,
  tenantId: string,
  replayId: string,
  from: number,
  to: number,
): Promise<ReplayItem[]> {
  const filter =
    `PartitionKey eq '${tenantId}|${replayId}' ` +
    `and RowKey ge '${rowKeyOf(to - 1)}' and RowKey le '${rowKeyOf(from)}'`;
  const items: ReplayItem[] = [];
  for await (const row of table.listEntities<Row>({ queryOptions: { filter } })) items.push(toItem(row));
  return items;
}

function rowKeyOf(number: number): string {
  return String(lastNumber - number).padStart(5, "0");
}

function toRow(
  tenantId: string,
  replayId: string,
  item: ReplayItem,
): { partitionKey: string; rowKey: string } & Row {
  const { number, selected, works, ...rest } = item;
  const { kind: _, ...named } = selected;
  return {
    partitionKey: `${tenantId}|${replayId}`,
    rowKey: rowKeyOf(number),
    ...named,
    ...rest,
    ...(works === undefined ? {} : packText("works", JSON.stringify(works))),
  };
}

function toItem(row: Row & { readonly rowKey?: string }): ReplayItem {
  const { failureId, eventId = "", correlationId = "", formerState, outcome, verdict } = row;
  const works = unpackText("works", { ...row });
  return {
    number: lastNumber - Number(row.rowKey),
    selected:
      failureId === undefined ? { kind: "event", eventId, correlationId } : { kind: "failure", failureId },
    ...(formerState !== undefined && isFailureState(formerState) ? { formerState } : {}),
    ...(outcome !== undefined && isOutcome(outcome) ? { outcome } : {}),
    ...(verdict !== undefined && isVerdict(verdict) ? { verdict } : {}),
    ...(row.detail === undefined ? {} : { detail: row.detail }),
    ...(row.doneAt === undefined ? {} : { doneAt: row.doneAt }),
    ...(works === undefined ? {} : { works: worksIn(works) }),
  };
}

function worksIn(text: string): ReplayedWork[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.filter(isWork) : [];
}

function isWork(value: unknown): value is ReplayedWork {
  return typeof value === "object" && value !== null && "workId" in value && "outcome" in value;
}
