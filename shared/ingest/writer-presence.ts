import type { TableClient } from "@azure/data-tables";

import { announceWriter, retireWriter } from "../ledgers/inbox-writers.ts";

/** Says whose inbox this process writes to, for as long as it does, so that others know when it is gone. */
export interface WriterPresence {
  /** Resolves when it is known, and will be for a while, that this process writes there: before anything is written. */
  readonly announce: (tenantId: string) => Promise<void>;
}

interface Needs {
  readonly writers: TableClient;
  readonly writerId: string;
  readonly leaseMs: number;
  /** Whether something the process has stored for the tenant is still to be published. */
  readonly isBusy: (tenantId: string) => boolean;
  /** Removes what the process has left in a tenant's inbox. */
  readonly tidy: (tenantId: string) => Promise<void>;
}

interface Announced {
  usedAt: number;
  /** Until when others believe it. */
  aliveUntil: number;
  saying?: Promise<void> | undefined;
  leaving?: Promise<void>;
}

const idleMs = 600_000;

export function createWriterPresence(needs: Needs): WriterPresence {
  const { writers, writerId, leaseMs } = needs;
  const announced = new Map<string, Announced>();
  let heartbeat: NodeJS.Timeout | undefined;

  async function announce(tenantId: string): Promise<void> {
    const found = announced.get(tenantId) ?? { usedAt: 0, aliveUntil: 0 };
    // What is on its way out must not take the new announcement along.
    if (found.leaving !== undefined) return found.leaving.then(() => announce(tenantId));
    announced.set(tenantId, found);
    found.usedAt = Date.now();
    heartbeat ??= setInterval(() => void beat(), leaseMs / 3).unref();
    // Also after a silence in which others may have taken this process for dead and tidied up after it.
    if (found.aliveUntil <= found.usedAt) await say(tenantId, found);
  }

  function say(tenantId: string, state: Announced): Promise<void> {
    const aliveUntil = Date.now() + leaseMs;
    const writer = { writerId, tenantId, aliveUntil: new Date(aliveUntil) };
    state.saying ??= announceWriter(writers, writer)
      .then(() => {
        state.aliveUntil = aliveUntil;
      })
      .finally(() => {
        state.saying = undefined;
      });
    return state.saying;
  }

  /** A beat that fails is made up for by the next; should none come through, the sweeper publishes twice, not never. */
  async function beat(): Promise<void> {
    const idleSince = Date.now() - idleMs;
    await Promise.allSettled(
      [...announced].map(async ([tenantId, state]) => {
        if (state.leaving !== undefined) return;
        if (state.usedAt > idleSince || needs.isBusy(tenantId)) return say(tenantId, state);
        state.leaving = leave(tenantId);
        return state.leaving;
      }),
    );
  }

  /** What cannot be removed is left to the sweeper. */
  async function leave(tenantId: string): Promise<void> {
    try {
      await needs.tidy(tenantId);
      await retireWriter(writers, writerId, tenantId);
    } catch {
      // The row says when it was last alive; the sweeper does the rest.
    } finally {
      announced.delete(tenantId);
    }
  }

  return { announce };
}
