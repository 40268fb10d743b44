import { escalate } from "../failures/escalate.ts";
import { recordFailure } from "../ledgers/failures.ts";
import type { StoredWebhook } from "../ledgers/inbox.ts";
import { writeTimeline } from "../ledgers/timeline.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";

/** Keeps a webhook that was signed and cannot be used, and tells a person. Sent again, it is the same one. */
export async function quarantineWebhook(services: Services, log: Log, webhook: StoredWebhook): Promise<void> {
  await services.inbox.keep(webhook, () => recordQuarantine(services, log, webhook));
}

/** Also called by the sweeper, when a crash came between keeping and telling. */
export async function recordQuarantine(services: Services, log: Log, webhook: StoredWebhook): Promise<void> {
  const { envelope, problem = "" } = webhook;
  const now = new Date();
  const failure = await recordFailure(services.failures, {
    tenantId: envelope.tenantid,
    failureId: envelope.id,
    origin: "ingest",
    state: "Quarantined",
    classification: "Validation",
    code: "PAYLOAD_UNUSABLE",
    message: problem,
    attempts: 1,
    currentStep: "normalise",
    routeName: "",
    objectType: envelope.objecttype,
    objectId: envelope.objectid,
    correlationId: envelope.correlationid,
    payloadHash: envelope.payloadhash,
    lastFailedAt: now,
    mayHaveHappened: false,
    workItem: JSON.stringify(envelope),
  });
  await writeTimeline(services.commits.timeline, envelope.tenantid, envelope.correlationid, [
    { at: now, kind: "quarantined", stepId: envelope.id, details: { problem } },
  ]);
  await escalate(services, failure, now);
  log.event("webhook.quarantined", {
    tenantId: envelope.tenantid,
    correlationId: envelope.correlationid,
    sourceSystem: envelope.sourcesystem,
    payloadHash: envelope.payloadhash,
    classification: "Validation",
    errorCode: "PAYLOAD_UNUSABLE",
    detail: problem,
  });
}
