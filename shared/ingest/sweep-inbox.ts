import { allShards } from "../envelope/ids.ts";
import { deadWriters, retireWriter } from "../ledgers/inbox-writers.ts";
import { findWebhook, forgetPending, readPending, type StoredWebhook } from "../ledgers/inbox.ts";
import { forgetUnpublished, listUnpublished } from "../ledgers/unpublished.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { recordQuarantine } from "./quarantine.ts";
import { readStored, withData } from "./raw-body.ts";

const perShard = 100;

/** Publishes what the bus would not take, and what processes that are gone had stored and not published. */
export async function sweepInbox(services: Services, log: Log, now: Date): Promise<void> {
  const { tables } = services;
  for (const event of await listUnpublished(tables.unpublished, perShard)) {
    await publishStored(services, log, event.tenantId, event.eventId);
    await forgetUnpublished(tables.unpublished, event);
  }
  for (const { writerId, tenantId } of await deadWriters(tables.inboxWriters, now)) {
    for (const shard of allShards) {
      const eventIds = await readPending(tables.inbox, tenantId, shard, writerId);
      for (const eventId of eventIds) await publishStored(services, log, tenantId, eventId);
      await forgetPending(tables.inbox, tenantId, shard, writerId);
    }
    await retireWriter(tables.inboxWriters, writerId, tenantId);
  }
}

/** What was never stored, because the sender was told so, needs no publishing. */
async function publishStored(services: Services, log: Log, tenantId: string, eventId: string): Promise<void> {
  const webhook = await findWebhook(services.tables.inbox, tenantId, eventId);
  if (webhook === undefined) return;
  if (webhook.problem !== undefined) return recordQuarantine(services, log, webhook);
  await services.publish(await publishedForm(services, webhook));
  log.event("event.published-late", {
    tenantId,
    eventId,
    correlationId: webhook.envelope.correlationid,
    sourceSystem: webhook.envelope.sourcesystem,
  });
}

/** The event as it was, or would have been, published: made of the stored bytes. */
export async function publishedForm(
  { rawBodies }: Services,
  webhook: StoredWebhook,
): Promise<StoredWebhook["envelope"]> {
  return withData(webhook.envelope, await readStored(rawBodies, webhook), webhook.size, webhook.bodyRef);
}
