import type { Envelope } from "../envelope/envelope.ts";
import { newId } from "../envelope/ids.ts";
import { childTraceparent } from "../envelope/traceparent.ts";

/** An event somebody thinks of, to see what would become of it. */
export interface SampleEvent {
  readonly subject: string;
  readonly sourceSystem?: string;
  readonly connectionId?: string;
  readonly objectType?: string;
  readonly objectId?: string;
  readonly eventType?: string;
  readonly time?: string;
  readonly data?: unknown;
}

/** What the sample does not say is taken from its subject, which has the form `<system>.events.<object>.<event>`. */
export function sampleEnvelope(tenantId: string, sample: SampleEvent, now: Date): Envelope {
  const [system = "", , ...words] = sample.subject.split(".");
  const eventType = sample.eventType ?? words.at(-1) ?? "";
  const objectType = sample.objectType ?? (words.slice(0, -1).join(".") || eventType);
  const objectId = sample.objectId ?? "sample";
  const connectionId = sample.connectionId ?? "sample";
  const id = newId();
  return {
    specversion: "1.0",
    id,
    source: `/connections/${connectionId}`,
    type: sample.subject,
    subject: `${objectType}/${objectId}`,
    time: sample.time ?? now.toISOString(),
    datacontenttype: "application/json",
    tenantid: tenantId,
    connectionid: connectionId,
    sourcesystem: sample.sourceSystem ?? system,
    objecttype: objectType,
    objectid: objectId,
    eventtype: eventType,
    correlationid: id,
    traceparent: childTraceparent(""),
    payloadhash: "0".repeat(64),
    receivedat: now.toISOString(),
    data: sample.data ?? {},
  };
}
