import { setTimeout as delay } from "node:timers/promises";

import type { TableClient } from "@azure/data-tables";

import type { Envelope } from "../envelope/envelope.ts";
import { allShards, newId } from "../envelope/ids.ts";
import { Fault } from "../faults.ts";
import {
  forgetPending,
  inboxPartition,
  mostPending,
  pendingStep,
  type Stored,
  type StoredWebhook,
  storeWebhook,
} from "../ledgers/inbox.ts";
import { rememberUnpublished } from "../ledgers/unpublished.ts";
import { createGroupCommit } from "../platform/group-commit.ts";
import { createWriterPresence } from "./writer-presence.ts";

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
  /** A sender waits for our answer, so the bus has only so long before the answer goes out without it; 2 s. */
  readonly patienceMs?: number;
}

/** With more than these under way in a partition the bus is behind: what comes next is left to the sweeper at once. */
const mostPublishing = mostPending / 2;

export function createInboxWriter(needs: Needs): InboxWriter {
  const { inbox, leaseMs, patienceMs = 2000 } = needs;
  const writerId = newId();
  /** Event ids that are about to be stored, or are and have not been published, by partition. */
  const pending = new Map<string, Set<string>>();
  /** By event id, until it is published or the sweeper knows: whatever comes again meanwhile is a duplicate. */
  const storing = new Map<string, Promise<Stored>>();
  const presence = createWriterPresence({
    writers: needs.writers,
    writerId,
    leaseMs,
    isBusy: (tenantId) => allShards.some((shard) => (pending.get(`${tenantId}|${shard}`)?.size ?? 0) > 0),
    tidy: async (tenantId) => {
      for (const shard of allShards) await forgetPending(inbox, tenantId, shard, writerId);
    },
  });

  const commit = createGroupCommit(inbox, {
    companion: (partitionKey) => pendingStep(partitionKey, writerId, [...pendingIn(partitionKey)]),
  });

  function pendingIn(partitionKey: string): Set<string> {
    const found = pending.get(partitionKey) ?? new Set<string>();
    pending.set(partitionKey, found);
    return found;
  }

  function pendingBeside({ tenantid, id }: Envelope): Set<string> {
    return pendingIn(inboxPartition(tenantid, id));
  }

  async function store(webhook: StoredWebhook): Promise<Stored> {
    await presence.announce(webhook.envelope.tenantid);
    return storeWebhook(commit, inbox, webhook, newId());
  }

  /** Ends only when the bus has it or the sweeper knows. */
  async function publish(envelope: Envelope, onUnpublished: (error: unknown) => void): Promise<void> {
    try {
      if (pendingBeside(envelope).size > mostPublishing) throw new Fault("unavailable", "The bus is behind.");
      await needs.publish(envelope);
    } catch (error) {
      onUnpublished(error);
      await leaveToSweeper(envelope);
    }
  }

  async function leaveToSweeper({ id: eventId, tenantid: tenantId }: Envelope): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return await rememberUnpublished(needs.unpublished, { tenantId, eventId });
      } catch {
        await delay(Math.min(1000 * 2 ** tries, 30_000), undefined, { ref: false });
      }
    }
  }

  /** Of several at once with the same id one is stored, and the others are its duplicates. */
  async function storeOnce(webhook: StoredWebhook, finish: () => Promise<void>): Promise<Stored> {
    const { envelope } = webhook;
    const under = storing.get(envelope.id);
    if (under !== undefined) {
      const stored = await under;
      return stored.kind === "duplicate" ? stored : { kind: "duplicate", first: webhook };
    }
    const besides = pendingBeside(envelope);
    if (besides.size >= mostPending) {
      const detail = "Too many webhooks wait to be passed on.";
      throw new Fault("unavailable", detail, { retryAfterSeconds: 10 });
    }
    besides.add(envelope.id);
    const stored = store(webhook);
    const finished = stored
      .then(
        ({ kind }) => (kind === "new" ? finish() : undefined),
        // It may be stored all the same. The sender, told of a failure, sends it again and is then a duplicate: so the
        // sweeper is to look whether there is anything to publish.
        () => leaveToSweeper(envelope),
      )
      .finally(() => {
        besides.delete(envelope.id);
        storing.delete(envelope.id);
      });
    const answer = stored.then(async (result) => {
      await within(patienceMs, finished);
      return result;
    });
    storing.set(envelope.id, answer);
    return answer;
  }

  return {
    accept: (webhook, published, onUnpublished) =>
      storeOnce(webhook, () => publish(published, onUnpublished)),
    keep: (webhook, record) =>
      storeOnce(webhook, () => record().catch(() => leaveToSweeper(webhook.envelope))),
  };
}

/** What takes longer goes on behind the answer; the list of pending events is there for when it does not. */
async function within(patienceMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
