import { setTimeout as delay } from "node:timers/promises";

import type { TableClient } from "@azure/data-tables";

import type { Envelope } from "../envelope/envelope.ts";
import { newId } from "../envelope/ids.ts";
import { announceWriter, retireWriter } from "../ledgers/inbox-writers.ts";
import {
  eventIdOfRow,
  inboxPartition,
  pendingStep,
  type Stored,
  type StoredWebhook,
  storeWebhook,
} from "../ledgers/inbox.ts";
import { rememberUnpublished } from "../ledgers/unpublished.ts";
import { createGroupCommit } from "../platform/group-commit.ts";

/**
 * Stores webhooks and publishes them, many at a time:
 *
 *   store ──► row in the inbox, with the list of what is not yet published ──► publish
 *                                         │ bus refuses: row in `unpublished` │ process dies: the list tells
 *                                         └──────────── the sweeper publishes ┘
 */
export interface InboxWriter {
  /** Resolves when it is stored, and published or sure to be. */
  readonly accept: (
    webhook: StoredWebhook,
    published: Envelope,
    onUnpublished: (error: unknown) => void,
  ) => Promise<Stored>;
  /** Kept for a person, not published; `record` tells the person. */
  readonly keep: (webhook: StoredWebhook, record: () => Promise<void>) => Promise<Stored>;
}

interface Needs {
  readonly inbox: TableClient;
  readonly writers: TableClient;
  readonly unpublished: TableClient;
  readonly publish: (envelope: Envelope) => Promise<void>;
  readonly leaseMs: number;
}

/** A sender waits for our answer, so the bus has only so long before the answer goes out without it. */
const publishPatienceMs = 2000;
const idleMs = 600_000;

export function createInboxWriter(needs: Needs): InboxWriter {
  const writerId = newId();
  /** Event ids stored and not yet published, by partition. */
  const pending = new Map<string, Set<string>>();
  /** Tenants whose inbox this process has said it writes to. */
  const announced = new Map<string, { said: Promise<void>; usedAt: number }>();
  const storing = new Map<string, Promise<Stored>>();
  let heartbeat: NodeJS.Timeout | undefined;

  const commit = createGroupCommit(needs.inbox, {
    companion: (partitionKey, rows) => {
      const ids = pendingIn(partitionKey);
      for (const { rowKey } of rows) {
        const id = eventIdOfRow(rowKey);
        if (id !== undefined) ids.add(id);
      }
      return pendingStep(partitionKey, writerId, [...ids]);
    },
  });

  function pendingIn(partitionKey: string): Set<string> {
    const found = pending.get(partitionKey) ?? new Set<string>();
    pending.set(partitionKey, found);
    return found;
  }

  function announce(tenantId: string): Promise<void> {
    const found = announced.get(tenantId);
    if (found !== undefined) {
      found.usedAt = Date.now();
      return found.said;
    }
    const said = sayAlive(tenantId).catch((error: unknown) => {
      announced.delete(tenantId);
      throw error;
    });
    announced.set(tenantId, { said, usedAt: Date.now() });
    heartbeat ??= setInterval(() => void beat(), needs.leaseMs / 3).unref();
    return said;
  }

  async function sayAlive(tenantId: string): Promise<void> {
    const aliveUntil = new Date(Date.now() + needs.leaseMs);
    await announceWriter(needs.writers, { writerId, tenantId, aliveUntil });
  }

  /** A beat that fails is made up for by the next; should none come through, the sweeper publishes twice, not never. */
  async function beat(): Promise<void> {
    const idleSince = Date.now() - idleMs;
    await Promise.allSettled(
      [...announced].map(async ([tenantId, { usedAt }]) => {
        if (usedAt > idleSince) return sayAlive(tenantId);
        announced.delete(tenantId);
        return retireWriter(needs.writers, writerId, tenantId);
      }),
    );
  }

  async function store(webhook: StoredWebhook): Promise<Stored> {
    await announce(webhook.envelope.tenantid);
    try {
      return await storeWebhook(commit, needs.inbox, webhook, newId());
    } catch (error) {
      // It may be stored all the same. The sender, told of a failure, sends it again and is then a duplicate: so the
      // sweeper is to look whether there is anything to publish.
      void leaveToSweeper(webhook.envelope);
      throw error;
    }
  }

  /** Ends only when the bus has it or the sweeper knows. */
  async function publish(envelope: Envelope, onUnpublished: (error: unknown) => void): Promise<void> {
    try {
      await needs.publish(envelope);
      settled(envelope);
    } catch (error) {
      onUnpublished(error);
      await leaveToSweeper(envelope);
    }
  }

  async function leaveToSweeper(envelope: Envelope): Promise<void> {
    const { id: eventId, tenantid: tenantId } = envelope;
    for (let tries = 0; ; tries++) {
      try {
        await rememberUnpublished(needs.unpublished, { tenantId, eventId });
        break;
      } catch {
        await delay(Math.min(1000 * 2 ** tries, 30_000), undefined, { ref: false });
      }
    }
    settled(envelope);
  }

  function settled({ tenantid, id }: Envelope): void {
    pendingIn(inboxPartition(tenantid, id)).delete(id);
  }

  /** Of several at once with the same id one is stored, and the others are its duplicates. */
  async function storeOnce(
    webhook: StoredWebhook,
    after: (stored: Stored) => Promise<void>,
  ): Promise<Stored> {
    const { id } = webhook.envelope;
    const under = storing.get(id);
    if (under !== undefined) {
      const stored = await under;
      return stored.kind === "duplicate" ? stored : { kind: "duplicate", first: webhook };
    }
    const begun = (async () => {
      const stored = await store(webhook);
      await after(stored);
      return stored;
    })().finally(() => storing.delete(id));
    storing.set(id, begun);
    return begun;
  }

  return {
    accept: (webhook, published, onUnpublished) =>
      storeOnce(webhook, async ({ kind }) => {
        if (kind === "new") await withinPatience(publish(published, onUnpublished));
        else settled(webhook.envelope);
      }),
    keep: (webhook, record) =>
      storeOnce(webhook, async ({ kind }) => {
        if (kind === "new") await record();
        settled(webhook.envelope);
      }),
  };
}

/** What takes longer goes on behind the answer; the list of pending events is there for when it does not. */
async function withinPatience(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, publishPatienceMs);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
