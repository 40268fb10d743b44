import { setTimeout as delay } from "node:timers/promises";

import type { TableClient } from "@azure/data-tables";

import { newId } from "../envelope/ids.ts";
import { isStatus } from "./storage-error.ts";

/**
 * What a route is up to at the moment, beside what its configuration says: paused, and how many dead letters lately.
 *
 *   PK <tenantId>   RK paused        the names of the paused routes: one read tells all of a tenant's
 *                   RK r|<route>     dead letters in the current window
 */
export const routeStatesTable = "routestates";

export interface Pause {
  readonly reason: string;
  readonly at: string;
  readonly by: string;
}

export type Pauses = Readonly<Record<string, Pause>>;

interface PausedRow {
  readonly routes: string;
}

export async function readPauses(table: TableClient, tenantId: string): Promise<Pauses> {
  return (await readPausedRow(table, tenantId))?.pauses ?? {};
}

/** Answers whether it was running until now. */
export function pauseRoute(
  table: TableClient,
  tenantId: string,
  routeName: string,
  pause: Pause,
): Promise<boolean> {
  return changePauses(table, tenantId, (pauses) =>
    Object.hasOwn(pauses, routeName) ? undefined : { ...pauses, [routeName]: pause },
  );
}

/** Answers whether it was paused until now. */
export function resumeRoute(table: TableClient, tenantId: string, routeName: string): Promise<boolean> {
  return changePauses(table, tenantId, (pauses) => {
    if (!Object.hasOwn(pauses, routeName)) return undefined;
    const { [routeName]: _, ...others } = pauses;
    return others;
  });
}

export interface DeadLetterCount {
  readonly count: number;
  /** When the window began that they are counted in. */
  readonly since: Date;
}

/** Counts one more dead letter of a route; answers how many there are in the window that began at most so long ago. */
export async function countDeadLetter(
  table: TableClient,
  tenantId: string,
  routeName: string,
  now: Date,
  windowMs: number,
): Promise<DeadLetterCount> {
  const key = { partitionKey: tenantId, rowKey: `r|${routeName}` };
  const writer = newId();
  for (let turn = 0; ; turn++) {
    // In a flood all count at once: spread, they get in each other's way less.
    if (turn > 0) await delay(Math.random() * Math.min(100, 10 * turn));
    const found = await read<CountRow>(table, key.partitionKey, key.rowKey);
    // Ours already, if the answer to the write was lost.
    if (found?.writer === writer) return { count: found.count, since: found.since };
    const isOpen = found !== undefined && now.getTime() - found.since.getTime() < windowMs;
    const next = isOpen ? { since: found.since, count: found.count + 1 } : { since: now, count: 1 };
    const row = { ...key, ...next, writer };
    if (await write(table, row, found?.etag)) return next;
  }
}

interface CountRow extends DeadLetterCount {
  readonly writer: string;
}

/** When a route is resumed: the next one would pause it again, and tell nobody. */
export async function forgetDeadLetters(
  table: TableClient,
  tenantId: string,
  routeName: string,
): Promise<void> {
  await table.deleteEntity(tenantId, `r|${routeName}`).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}

async function changePauses(
  table: TableClient,
  tenantId: string,
  change: (pauses: Pauses) => Pauses | undefined,
): Promise<boolean> {
  for (;;) {
    const found = await readPausedRow(table, tenantId);
    const next = change(found?.pauses ?? {});
    if (next === undefined) return false;
    const row = { partitionKey: tenantId, rowKey: "paused", routes: JSON.stringify(next) };
    if (await write(table, row, found?.etag)) return true;
  }
}

async function readPausedRow(
  table: TableClient,
  tenantId: string,
): Promise<{ pauses: Pauses; etag: string } | undefined> {
  const row = await read<PausedRow>(table, tenantId, "paused");
  if (row === undefined) return undefined;
  const parsed: unknown = JSON.parse(row.routes);
  const entries: [string, unknown][] =
    typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : [];
  const pauses = entries.map(([name, value]): [string, Pause] => [name, toPause(value)]);
  return { pauses: Object.fromEntries(pauses), etag: row.etag };
}

function toPause(value: unknown): Pause {
  const fields = new Map<string, unknown>(
    typeof value === "object" && value !== null ? Object.entries(value) : [],
  );
  const text = (name: string): string => {
    const field = fields.get(name);
    return typeof field === "string" ? field : "";
  };
  return { reason: text("reason"), at: text("at"), by: text("by") };
}

async function read<T extends object>(
  table: TableClient,
  partitionKey: string,
  rowKey: string,
): Promise<(T & { etag: string }) | undefined> {
  try {
    return await table.getEntity<T>(partitionKey, rowKey);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** False when somebody else was faster. */
async function write(
  table: TableClient,
  row: { partitionKey: string; rowKey: string },
  etag: string | undefined,
): Promise<boolean> {
  try {
    if (etag === undefined) await table.createEntity(row);
    else await table.updateEntity(row, "Replace", { etag });
    return true;
  } catch (error) {
    if (isStatus(error, 409) || isStatus(error, 412)) return false;
    throw error;
  }
}
