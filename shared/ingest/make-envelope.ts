import type { Envelope } from "../envelope/envelope.ts";
import type { Normalised } from "../sources/source.ts";

interface Origin {
  readonly tenantId: string;
  readonly connectionId: string;
  readonly sourceSystem: string;
  readonly eventId: string;
  readonly payloadHash: string;
  readonly traceparent: string;
  readonly receivedAt: Date;
}

/** The event that a webhook is, without its data. */
export function makeEnvelope(origin: Origin, normalised: Normalised): Envelope {
  return {
    specversion: "1.0",
    id: origin.eventId,
    source: `/connections/${origin.connectionId}`,
    type: normalised.subject,
    subject: `${normalised.objectType}/${normalised.objectId}`,
    time: (normalised.eventTime ?? origin.receivedAt).toISOString(),
    datacontenttype: "application/json",
    tenantid: origin.tenantId,
    connectionid: origin.connectionId,
    sourcesystem: origin.sourceSystem,
    objecttype: normalised.objectType,
    objectid: normalised.objectId,
    eventtype: normalised.eventType,
    correlationid: origin.eventId,
    traceparent: origin.traceparent,
    payloadhash: origin.payloadHash,
    receivedat: origin.receivedAt.toISOString(),
  };
}

export const genericSubjectPrefix = "external.events.";

/** What pattern 2 publishes: one subject for all of a source, to be looked into by the dispatcher. */
export function genericFor(sourceSystem: string): Normalised {
  return {
    subject: `${genericSubjectPrefix}${sourceSystem}`,
    objectType: "webhook",
    objectId: sourceSystem,
    eventType: "received",
  };
}
