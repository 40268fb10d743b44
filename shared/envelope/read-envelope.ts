import type { Envelope } from "./envelope.ts";

const texts = [
  "id",
  "source",
  "type",
  "subject",
  "time",
  "tenantid",
  "connectionid",
  "sourcesystem",
  "objecttype",
  "objectid",
  "eventtype",
  "correlationid",
  "traceparent",
  "payloadhash",
  "receivedat",
] as const satisfies readonly (keyof Envelope)[];

/** Narrows what came back from storage or the bus. Whatever is not an envelope there is a defect or foreign. */
export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  if (fields.get("specversion") !== "1.0") return false;
  return texts.every((name) => typeof fields.get(name) === "string");
}

export function readEnvelope(text: string): Envelope {
  const value: unknown = JSON.parse(text);
  if (!isEnvelope(value)) throw new Error("What is stored is not an envelope");
  return value;
}
