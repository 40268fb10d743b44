import { assertTenant, type Caller } from "../access/caller.ts";
import { Fault } from "../faults.ts";
import {
  connectionsTable,
  findConnection,
  replaceConnection,
  type StoredConnection,
} from "../ledgers/connections.ts";
import type { Platform } from "../platform/platform.ts";
import type { Connection } from "./connection.ts";

export interface Change {
  readonly caller: Caller;
  readonly connectionId: string;
  /** The revision it must still have; without it the change is made to whatever is there. */
  readonly ifMatch?: string | undefined;
  readonly now: Date;
  readonly platform: Platform;
}

export interface Changed {
  readonly connection: Connection;
  readonly revision: string;
}

const maxAttempts = 10;

/** The caller's own connection, as it is stored. */
export async function ownConnection(
  platform: Platform,
  caller: Caller,
  connectionId: string,
): Promise<StoredConnection> {
  const stored = await findConnection(await platform.table(connectionsTable), caller.tenantId, connectionId);
  assertTenant(caller, stored?.connection);
  if (stored === undefined) throw new Fault("not-found");
  return stored;
}

/** Makes a change to what is stored now, and again to what others have made of it meanwhile. */
export async function changeConnection(
  { caller, connectionId, ifMatch, now, platform }: Change,
  change: (current: Connection) => Connection,
): Promise<Changed> {
  const table = await platform.table(connectionsTable);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { connection: current, revision, etag } = await ownConnection(platform, caller, connectionId);
    refuseDeleted(current);
    if (ifMatch !== undefined && ifMatch !== etagOf(revision)) throw new Fault("precondition-failed");
    const connection = { ...change(current), updatedAt: now };
    const made = await replaceConnection(table, connection, etag);
    if (made !== undefined) return { connection, revision: made };
  }
  throw new Fault("conflict", "Others change the same connection at the same time; try again.");
}

export function refuseDeleted({ deletedAt }: Connection): void {
  if (deletedAt !== undefined) throw new Fault("conflict", "The connection is deleted; make a new one.");
}

/** The revision as HTTP writes it. */
export function etagOf(revision: string): string {
  return `"${revision}"`;
}
