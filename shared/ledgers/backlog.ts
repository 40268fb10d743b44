import { odata, type TableClient } from "@azure/data-tables";

import type { WorkItem } from "../work/work-item.ts";
import { readWorkItem } from "../work/read-work-item.ts";
import { packText, unpackText } from "./long-text.ts";
import { isStatus } from "./storage-error.ts";

/**
 * Work that waits: for the next drain of its route, or for its route to be resumed or enabled again. A row exists only
 * while it waits, and beside it one row for each route that has any.
 *
 *   backlog         PK <tenantId>|<routeName>   RK <ms, padded>|<workId>
 *   backlogroutes   PK backlog                  RK <tenantId>|<routeName>
 */
export const backlogTable = "backlog";
export const backlogRoutesTable = "backlogroutes";

export interface BacklogTables {
  readonly backlog: TableClient;
  readonly routes: TableClient;
}

export interface BacklogRoute {
  readonly tenantId: string;
  readonly routeName: string;
  /** Not drained before. */
  readonly dueAt: Date;
  readonly etag: string;
}

/** The work first, then the row that leads to it: a crash between leaves work that the next item's row leads to. */
export async function addToBacklog(
  { backlog, routes }: BacklogTables,
  item: WorkItem,
  dueAt: Date,
): Promise<void> {
  await backlog.upsertEntity({ ...keysOf(item), ...packText("item", JSON.stringify(item)) }, "Replace");
  const key = { partitionKey: "backlog", rowKey: `${item.tenantId}|${item.routeName}` };
  const row = { ...key, tenantId: item.tenantId, routeName: item.routeName };
  for (;;) {
    try {
      return void (await routes.createEntity({ ...row, dueAt, touched: 0 }));
    } catch (error) {
      if (!isStatus(error, 409)) throw error;
    }
    try {
      // Gives it a new ETag, so that a drain that found nothing does not remove what leads here.
      return void (await routes.updateEntity({ ...key, touched: Date.now() }, "Merge", { etag: "*" }));
    } catch (error) {
      // Removed by a drain just now.
      if (!isStatus(error, 404)) throw error;
    }
  }
}

type Waiting = Pick<WorkItem, "tenantId" | "routeName" | "routedAt" | "workId">;

function keysOf({ tenantId, routeName, routedAt, workId }: Waiting): {
  partitionKey: string;
  rowKey: string;
} {
  const waitingSince = String(Date.parse(routedAt)).padStart(14, "0");
  return { partitionKey: `${tenantId}|${routeName}`, rowKey: `${waitingSince}|${workId}` };
}

export async function isInBacklog(table: TableClient, work: Waiting): Promise<boolean> {
  const { partitionKey, rowKey } = keysOf(work);
  try {
    await table.getEntity(partitionKey, rowKey, { queryOptions: { select: ["RowKey"] } });
    return true;
  } catch (error) {
    if (isStatus(error, 404)) return false;
    throw error;
  }
}

/** Of all tenants, or of one. */
export async function listBacklogRoutes(table: TableClient, tenantId?: string): Promise<BacklogRoute[]> {
  const found: BacklogRoute[] = [];
  const ofTenant = tenantId === undefined ? "" : ` and RowKey ge '${tenantId}|' and RowKey lt '${tenantId}}'`;
  const queryOptions = { filter: `PartitionKey eq 'backlog'${ofTenant}` };
  for await (const row of table.listEntities<BacklogRouteRow>({ queryOptions })) found.push(toRoute(row));
  return found;
}

/** Undefined where nothing waits for the route. */
export async function findBacklogRoute(
  table: TableClient,
  tenantId: string,
  routeName: string,
): Promise<BacklogRoute | undefined> {
  try {
    return toRoute(await table.getEntity<BacklogRouteRow>("backlog", `${tenantId}|${routeName}`));
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

type BacklogRouteRow = Omit<BacklogRoute, "etag">;

function toRoute({ tenantId, routeName, dueAt, etag }: BacklogRoute): BacklogRoute {
  return { tenantId, routeName, dueAt, etag };
}

export interface BacklogSize {
  readonly count: number;
  /** There is more than was counted. */
  readonly isMore: boolean;
  readonly waitingSince?: Date;
}

/** Counts no further than `most`: a person needs to know that it is many, not how many. */
export async function countBacklog(
  table: TableClient,
  tenantId: string,
  routeName: string,
  most: number,
): Promise<BacklogSize> {
  const queryOptions = {
    filter: odata`PartitionKey eq ${`${tenantId}|${routeName}`}`,
    select: ["RowKey"],
  };
  let count = 0;
  let oldest: string | undefined;
  for await (const { rowKey } of table.listEntities<object>({ queryOptions })) {
    oldest ??= rowKey;
    if (count === most) return { count, isMore: true, ...sinceOf(oldest) };
    count++;
  }
  return { count, isMore: false, ...sinceOf(oldest) };
}

function sinceOf(rowKey: string | undefined): Pick<BacklogSize, "waitingSince"> {
  return rowKey === undefined ? {} : { waitingSince: new Date(Number(rowKey.slice(0, 14))) };
}

export interface WaitingWork {
  readonly item: WorkItem;
  readonly rowKey: string;
  readonly waitingSince: Date;
}

/** The oldest first. */
export async function takeFromBacklog(
  table: TableClient,
  tenantId: string,
  routeName: string,
  count: number,
): Promise<WaitingWork[]> {
  const queryOptions = { filter: odata`PartitionKey eq ${`${tenantId}|${routeName}`}` };
  const taken: WaitingWork[] = [];
  // No more at a time than is wanted: work items are large.
  for await (const page of table.listEntities<object>({ queryOptions }).byPage({ maxPageSize: count })) {
    for (const row of page) {
      const item = readWorkItem(JSON.parse(unpackText("item", row) ?? "null"));
      const rowKey = row.rowKey ?? "";
      if (item !== undefined)
        taken.push({ item, rowKey, waitingSince: new Date(Number(rowKey.slice(0, 14))) });
      if (taken.length === count) return taken;
    }
  }
  return taken;
}

/** After it is on the queue: a crash between puts it there twice, and the ledger sees to the rest. */
export async function removeFromBacklog(
  table: TableClient,
  tenantId: string,
  routeName: string,
  work: readonly WaitingWork[],
): Promise<void> {
  const partitionKey = `${tenantId}|${routeName}`;
  await Promise.all(
    work.map(({ rowKey }) =>
      table.deleteEntity(partitionKey, rowKey).catch((error: unknown) => {
        if (!isStatus(error, 404)) throw error;
      }),
    ),
  );
}

/** When the route is to be looked at again. */
export async function postponeBacklog(table: TableClient, route: BacklogRoute, dueAt: Date): Promise<void> {
  const key = { partitionKey: "backlog", rowKey: `${route.tenantId}|${route.routeName}` };
  await table.updateEntity({ ...key, dueAt }, "Merge", { etag: route.etag }).catch((error: unknown) => {
    if (!isStatus(error, 412) && !isStatus(error, 404)) throw error;
  });
}

/** Unless work has arrived since. */
export async function forgetBacklogRoute(table: TableClient, route: BacklogRoute): Promise<void> {
  const rowKey = `${route.tenantId}|${route.routeName}`;
  await table.deleteEntity("backlog", rowKey, { etag: route.etag }).catch((error: unknown) => {
    if (!isStatus(error, 412) && !isStatus(error, 404)) throw error;
  });
}
