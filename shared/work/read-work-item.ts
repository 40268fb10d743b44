import { isEnvelope } from "../envelope/read-envelope.ts";
import type { WorkItem } from "./work-item.ts";

const texts = [
  "workId",
  "tenantId",
  "routeName",
  "configHash",
  "eventId",
  "objectType",
  "objectId",
  "correlationId",
  "payloadHash",
  "receivedAt",
  "routedAt",
] as const satisfies readonly (keyof WorkItem)[];

/** They become keys of rows. */
const keys = ["workId", "tenantId", "correlationId"] as const satisfies readonly (keyof WorkItem)[];

/** Whoever else puts messages on the bus may name things as tables cannot. */
export function isKey(value: unknown): boolean {
  return typeof value === "string" && /^[\w.:~-]{1,64}$/.test(value);
}

/** Narrows what came back from storage or the bus; undefined for anything else. */
export function readWorkItem(value: unknown): WorkItem | undefined {
  return isWorkItem(value) ? value : undefined;
}

function isWorkItem(value: unknown): value is WorkItem {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  if (!texts.every((name) => typeof fields.get(name) === "string")) return false;
  if (!keys.every((name) => isKey(fields.get(name)))) return false;
  const attempt = fields.get("attempt");
  const envelope = fields.get("envelope");
  // A work item of one tenant with an event of another would be a way across.
  return Number.isInteger(attempt) && isEnvelope(envelope) && envelope.tenantid === fields.get("tenantId");
}
