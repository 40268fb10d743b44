import type { TableClient } from "@azure/data-tables";

import { newId, shardOf } from "../envelope/ids.ts";
import type { GroupCommit, Step } from "../platform/group-commit.ts";
import { isStatus } from "./storage-error.ts";

/**
 * The ledger of side effects: no effect twice.
 *
 *   (absent) ──claim──► claimed ──complete──► done        a duplicate is answered with what was done
 *                        │   ▲
 *               wait / park  │ claim, by the next attempt or a replay
 *                        ▼   │
 *               waiting / parked
 *
 * A claim is not a hit. A claim whose lease ran out was left by a process that died, perhaps after the effect: whoever
 * claims it next is told that it is in doubt, and asks the vendor first.
 *
 *   PK <tenantId>|<shard of the key>   RK <key>                the effect
 *                                      RK x|<yyyy-mm-dd>|<key> when it may be purged (`purge-effects.ts`), written
 *                                                              together with done
 */
export const effectsTable = "effects";

export interface EffectKey {
  readonly tenantId: string;
  /** Made by `ledger-key.ts`. */
  readonly key: string;
}

/** What asks for the effect. */
export interface Claimant {
  readonly workId: string;
  /** The attempt its message asks for. */
  readonly attempt: number;
  readonly routeName: string;
  readonly objectId: string;
  readonly correlationId: string;
  readonly payloadHash: string;
}

export interface Claim {
  readonly effect: EffectKey;
  readonly claimant: Claimant;
  readonly owner: string;
  readonly etag: string;
  /** When others may take over: what is begun must be over by then. */
  readonly leaseUntil: Date;
  /** An earlier attempt may have taken effect. */
  readonly inDoubt: boolean;
}

export type ClaimAnswer =
  | { readonly kind: "won"; readonly claim: Claim }
  | { readonly kind: "done"; readonly sideEffectRef: string; readonly correlationId: string }
  /** Somebody else is at it. */
  | { readonly kind: "busy"; readonly until: Date }
  /** This very attempt has been made before: the message came twice. `nextAttemptAt` if another is due. */
  | { readonly kind: "made"; readonly attempt: number; readonly nextAttemptAt?: Date };

interface EffectRow {
  readonly state: "claimed" | "waiting" | "parked" | "done";
  readonly owner: string;
  readonly workId: string;
  readonly attempt: number;
  readonly routeName: string;
  readonly objectId: string;
  readonly correlationId: string;
  readonly payloadHash: string;
  readonly createdAt: Date;
  readonly leaseUntil: Date;
  readonly mayHaveHappened: boolean;
  readonly nextAttemptAt?: Date;
  readonly sideEffectRef?: string;
  readonly doneAt?: Date;
}

interface Keys {
  readonly partitionKey: string;
  readonly rowKey: string;
}

function keysOf({ tenantId, key }: EffectKey): Keys {
  return { partitionKey: `${tenantId}|${shardOf(key)}`, rowKey: key };
}

/** `leaseUntil` is the holder's deadline too: it must have finished, or stopped, by then. */
export async function claimEffect(
  commit: GroupCommit,
  table: TableClient,
  effect: EffectKey,
  claimant: Claimant,
  now: Date,
  leaseUntil: Date,
): Promise<ClaimAnswer> {
  const keys = keysOf(effect);
  const owner = newId();
  const won = (etag: string, inDoubt: boolean): ClaimAnswer => ({
    kind: "won",
    claim: { effect, claimant, owner, etag, leaseUntil, inDoubt },
  });
  const row: EffectRow = {
    ...claimant,
    state: "claimed",
    owner,
    createdAt: now,
    leaseUntil,
    mayHaveHappened: false,
  };
  try {
    return won((await commit.write({ kind: "create", row: { ...keys, ...row } })).etag, false);
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
  }
  // Each turn ends in an answer, unless the row was moved or purged between the two calls.
  for (let turn = 0; turn < 5; turn++) {
    const found = await findEffectRow(table, keys);
    if (found === undefined) {
      const answer = await createAgain(commit, keys, row);
      if (answer !== undefined) return won(answer, false);
      continue;
    }
    if (found.owner === owner) return won(found.etag, found.mayHaveHappened);
    const refusal = refusalOf(found, claimant, now);
    if (refusal !== undefined) return refusal;
    const inDoubt = found.mayHaveHappened || found.state === "claimed";
    const next: EffectRow = { ...row, createdAt: found.createdAt, mayHaveHappened: inDoubt };
    try {
      const step: Step = { kind: "update", row: { ...keys, ...next }, mode: "Replace", etag: found.etag };
      return won((await commit.write(step)).etag, inDoubt);
    } catch (error) {
      if (!isStatus(error, 412) && !isStatus(error, 404)) throw error;
    }
  }
  return { kind: "busy", until: leaseUntil };
}

/** Whether what is in the ledger stands in the way of this attempt. */
function refusalOf(found: EffectRow, claimant: Claimant, now: Date): ClaimAnswer | undefined {
  switch (found.state) {
    case "done":
      return { kind: "done", sideEffectRef: found.sideEffectRef ?? "", correlationId: found.correlationId };
    case "claimed":
      return found.leaseUntil > now ? { kind: "busy", until: found.leaseUntil } : undefined;
    case "waiting": {
      const { nextAttemptAt = now, attempt } = found;
      // Other work may want the same effect. It waits its turn, but not for an attempt that is due and does not come.
      if (found.workId !== claimant.workId)
        return nextAttemptAt > now ? { kind: "busy", until: nextAttemptAt } : undefined;
      return claimant.attempt <= attempt ? { kind: "made", attempt, nextAttemptAt } : undefined;
    }
    case "parked": {
      const same = found.workId === claimant.workId && claimant.attempt <= found.attempt;
      return same ? { kind: "made", attempt: found.attempt } : undefined;
    }
  }
}

/** More time for what has not begun yet: undefined when somebody else has taken over. */
export async function renewClaim(
  commit: GroupCommit,
  table: TableClient,
  claim: Claim,
  leaseUntil: Date,
): Promise<Claim | undefined> {
  const keys = keysOf(claim.effect);
  const row = { ...keys, leaseUntil };
  try {
    const { etag } = await commit.write({ kind: "update", row, mode: "Merge", etag: claim.etag });
    return { ...claim, etag, leaseUntil };
  } catch (error) {
    if (!isStatus(error, 412) && !isStatus(error, 404)) throw error;
  }
  const found = await findEffectRow(table, keys);
  const isOurs = found?.owner === claim.owner && found.state === "claimed";
  return isOurs ? { ...claim, etag: found.etag, leaseUntil } : undefined;
}

/** Writes done, and only for the one who still holds the claim. Answers whether it did. */
export function completeEffect(
  commit: GroupCommit,
  table: TableClient,
  claim: Claim,
  sideEffectRef: string,
  now: Date,
  retentionDays: number,
): Promise<boolean> {
  const { partitionKey, rowKey } = keysOf(claim.effect);
  const expires = new Date(now.getTime() + retentionDays * 86_400_000).toISOString().slice(0, 10);
  const expiry: Step = {
    kind: "upsert",
    row: { partitionKey, rowKey: `x|${expires}|${rowKey}` },
    mode: "Replace",
  };
  return settle(commit, table, claim, { state: "done", sideEffectRef, doneAt: now }, expiry);
}

/** The attempt failed and the next is due: written before its message is scheduled. */
export function waitForNextAttempt(
  commit: GroupCommit,
  table: TableClient,
  claim: Claim,
  nextAttemptAt: Date,
  mayHaveHappened: boolean,
): Promise<boolean> {
  return settle(commit, table, claim, { state: "waiting", nextAttemptAt, mayHaveHappened });
}

/** No further attempt will be made unless a person asks for it. */
export function parkEffect(
  commit: GroupCommit,
  table: TableClient,
  claim: Claim,
  mayHaveHappened: boolean,
): Promise<boolean> {
  return settle(commit, table, claim, { state: "parked", mayHaveHappened });
}

async function settle(
  commit: GroupCommit,
  table: TableClient,
  claim: Claim,
  change: Partial<EffectRow> & Pick<EffectRow, "state">,
  ...more: readonly Step[]
): Promise<boolean> {
  const keys = keysOf(claim.effect);
  try {
    await commit.write(
      { kind: "update", row: { ...keys, ...change }, mode: "Merge", etag: claim.etag },
      ...more,
    );
    return true;
  } catch (error) {
    if (!isStatus(error, 412) && !isStatus(error, 404)) throw error;
  }
  // The answer to a write that did happen may have been lost; then the row is ours and in the state we gave it.
  const found = await findEffectRow(table, keys);
  return found?.owner === claim.owner && found.state === change.state;
}

export interface Effect {
  readonly state: EffectRow["state"];
  readonly routeName: string;
  readonly objectId: string;
  readonly correlationId: string;
  readonly payloadHash: string;
  readonly attempt: number;
  readonly createdAt: Date;
  readonly mayHaveHappened: boolean;
  readonly leaseUntil: Date;
  readonly nextAttemptAt?: Date;
  readonly sideEffectRef?: string;
  readonly doneAt?: Date;
}

export function findEffect(table: TableClient, effect: EffectKey): Promise<Effect | undefined> {
  return findEffectRow(table, keysOf(effect));
}

async function findEffectRow(
  table: TableClient,
  keys: Keys,
): Promise<(EffectRow & { etag: string }) | undefined> {
  try {
    const row = await table.getEntity<EffectRow>(keys.partitionKey, keys.rowKey);
    return { ...row, etag: row.etag };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

async function createAgain(commit: GroupCommit, keys: Keys, row: EffectRow): Promise<string | undefined> {
  try {
    return (await commit.write({ kind: "create", row: { ...keys, ...row } })).etag;
  } catch (error) {
    if (isStatus(error, 409)) return undefined;
    throw error;
  }
}
