import { isUnavailable } from "../api/unavailable.ts";
import { allShards } from "../envelope/ids.ts";
import { type DeadWriter, deadWriters, retireWriter } from "../ledgers/inbox-writers.ts";
import { findWebhook, forgetPending, readPending, type StoredWebhook } from "../ledgers/inbox.ts";
import { forgetUnpublished, listUnpublished, type Unpublished } from "../ledgers/unpublished.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { recordQuarantine } from "./quarantine.ts";
import { readStored, withData } from "./raw-body.ts";

const atATime = 100;
/** After so many rounds the next sweep goes on: this one must end in the time a function has. */
const mostRounds = 20;

/** Publishes what the bus would not take, and what processes that are gone had stored and not published. */
export async function sweepInbox(services: Services, log: Log, now: Date): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    const isMore = await Promise.all(allShards.map((shard) => sweepShard(services, log, shard)));
    if (!isMore.includes(true)) break;
  }
  for (const writer of await deadWriters(services.tables.inboxWriters, now)) {
    await takeOver(services, log, writer);
  }
}

/** Answers whether there is more, and a point in going on. */
async function sweepShard(services: Services, log: Log, shard: string): Promise<boolean> {
  const { unpublished } = services.tables;
  const events = await listUnpublished(unpublished, shard, atATime);
  const published = await publishAll(services, log, events);
  await Promise.all(published.map((event) => forgetUnpublished(unpublished, event)));
  return events.length === atATime && published.length === events.length;
}

/** A writer that turns out to be alive is left alone; what it had under way has then been published twice. */
async function takeOver(services: Services, log: Log, writer: DeadWriter): Promise<void> {
  const { writerId, tenantId, etag } = writer;
  const { inbox, inboxWriters } = services.tables;
  const isGone = await Promise.all(
    allShards.map(async (shard) => {
      const pending = await readPending(inbox, tenantId, shard, writerId);
      if (pending === undefined) return true;
      const events = pending.eventIds.map((eventId) => ({ tenantId, eventId }));
      const published = await publishAll(services, log, events);
      if (published.length < events.length) return false;
      return forgetPending(inbox, tenantId, shard, writerId, pending.etag);
    }),
  );
  if (!isGone.includes(false)) await retireWriter(inboxWriters, writerId, tenantId, etag);
}

/** One that fails keeps none of the others. Answers with those that are done with. */
async function publishAll(
  services: Services,
  log: Log,
  events: readonly Unpublished[],
): Promise<Unpublished[]> {
  const done: Unpublished[] = [];
  const publish = async (event: Unpublished): Promise<void> => {
    try {
      await publishStored(services, log, event);
      done.push(event);
    } catch (error) {
      const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      log.event("sweep.failed", { ...event, errorCode: "NOT_PUBLISHED", detail });
    }
  };
  await Promise.all(events.map(publish));
  return done;
}

/** What was never stored, because the sender was told so, needs no publishing. */
async function publishStored(
  services: Services,
  log: Log,
  { tenantId, eventId }: Unpublished,
): Promise<void> {
  const webhook = await findWebhook(services.tables.inbox, tenantId, eventId);
  if (webhook === undefined) return;
  if (webhook.problem !== undefined) return recordQuarantine(services, log, webhook);
  const envelope = await publishedForm(services, webhook).catch((error: unknown) => {
    if (isUnavailable(error)) throw error;
    return undefined;
  });
  if (envelope === undefined) {
    return recordQuarantine(services, log, { ...webhook, problem: "body: What is stored cannot be read." });
  }
  await services.publish(envelope);
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
