import type { Envelope } from "../envelope/envelope.ts";
import { readStored } from "../ingest/raw-body.ts";
import { findMadeEvent } from "../ledgers/events.ts";
import { findWebhook, type StoredWebhook } from "../ledgers/inbox.ts";
import type { Services } from "../services.ts";
import { PayloadProblem } from "../sources/source.ts";

/** An event and the webhook it came in with. */
export interface FoundEvent {
  /** Without its data. */
  readonly envelope: Envelope;
  readonly webhook: StoredWebhook;
}

/** One point read for what came in itself, three for what was made from something that did. */
export async function findEventById(
  { tables }: Services,
  tenantId: string,
  eventId: string,
): Promise<FoundEvent | undefined> {
  const webhook = await findWebhook(tables.inbox, tenantId, eventId);
  if (webhook !== undefined) return { envelope: webhook.envelope, webhook };
  const envelope = await findMadeEvent(tables.events, tenantId, eventId);
  if (envelope === undefined) return undefined;
  const first = await findWebhook(tables.inbox, tenantId, envelope.correlationid);
  return first && { envelope, webhook: first };
}

/** Undefined where the bytes cannot be read as a payload: that is why the webhook is in quarantine. */
export async function dataOf({ rawBodies }: Services, webhook: StoredWebhook): Promise<unknown> {
  try {
    return await readStored(rawBodies, webhook);
  } catch (error) {
    if (error instanceof PayloadProblem) return undefined;
    throw error;
  }
}

export async function eventWithData(
  services: Services,
  tenantId: string,
  eventId: string,
): Promise<Envelope | undefined> {
  const found = await findEventById(services, tenantId, eventId);
  return found && { ...found.envelope, data: await dataOf(services, found.webhook) };
}
