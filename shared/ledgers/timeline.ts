import { odata, type TableClient } from "@azure/data-tables";

import { shardOf } from "../envelope/ids.ts";
import type { GroupCommit, Step } from "../platform/group-commit.ts";

/**
 * What happened under a correlation id, step by step, whoever did it: one query of neighbouring rows tells it all.
 *
 *   PK <tenantId>|<shard of the correlation id>   RK <correlationId>|<ms, padded>|<step id>
 */
export const timelineTable = "timeline";

/** Every kind of step, and what it says. */
export const timelineKinds = {
  received: "The webhook was verified and stored.",
  dispatched: "A generic event was turned into a specific one.",
  routed: "A route took the event on.",
  unmatched: "No route matched the event.",
  skipped: "A matching route did not run.",
  held: "The work waits in the backlog.",
  executed: "The side effect happened.",
  deduplicated: "The side effect had happened before.",
  stale: "A newer event of the same object had been applied.",
  resolvedInDoubt: "The vendor told whether an earlier attempt had happened.",
  failed: "An attempt failed.",
  retrying: "The next attempt is due.",
  parked: "The work was parked for a person to look at.",
  quarantined: "The payload cannot be used as it is.",
  replayed: "A person asked for it again.",
  resolved: "A failure was overcome.",
  discarded: "A person decided to let it be.",
} as const;

export type TimelineKind = keyof typeof timelineKinds;

export interface TimelineStep {
  readonly at: Date;
  readonly kind: TimelineKind;
  /** Distinguishes steps of the same moment; the same step written twice is one. */
  readonly stepId: string;
  readonly routeName?: string;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

interface TimelineRow {
  readonly at: Date;
  readonly kind: string;
  readonly routeName?: string;
  readonly details?: string;
}

export async function writeTimeline(
  commit: GroupCommit,
  tenantId: string,
  correlationId: string,
  steps: readonly [TimelineStep, ...TimelineStep[]],
): Promise<void> {
  const partitionKey = `${tenantId}|${shardOf(correlationId)}`;
  const write = ({ at, kind, stepId, routeName, details }: TimelineStep, index: number): Step => {
    const row: TimelineRow = {
      at,
      kind,
      ...(routeName === undefined ? {} : { routeName }),
      ...(details === undefined ? {} : { details: JSON.stringify(details) }),
    };
    const rowKey = `${correlationId}|${String(at.getTime()).padStart(14, "0")}|${index}|${stepId}`;
    return { kind: "upsert", row: { partitionKey, rowKey, ...row }, mode: "Replace" };
  };
  const [first, ...rest] = steps;
  await commit.write(write(first, 0), ...rest.map((step, index) => write(step, index + 1)));
}

export interface TimelineEntry {
  readonly at: string;
  readonly kind: string;
  readonly routeName?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const longest = 1000;

export async function readTimeline(
  table: TableClient,
  tenantId: string,
  correlationId: string,
): Promise<TimelineEntry[]> {
  const partitionKey = `${tenantId}|${shardOf(correlationId)}`;
  const [from, to] = [`${correlationId}|`, `${correlationId}}`];
  const filter = odata`PartitionKey eq ${partitionKey} and RowKey ge ${from} and RowKey lt ${to}`;
  const entries: TimelineEntry[] = [];
  for await (const row of table.listEntities<TimelineRow>({ queryOptions: { filter } })) {
    const details: unknown = row.details === undefined ? undefined : JSON.parse(row.details);
    entries.push({
      at: row.at.toISOString(),
      kind: row.kind,
      ...(row.routeName === undefined ? {} : { routeName: row.routeName }),
      ...(typeof details === "object" && details !== null ? { details: { ...details } } : {}),
    });
    if (entries.length === longest) break;
  }
  return entries;
}
