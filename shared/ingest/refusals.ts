import type { Connection } from "../connections/connection.ts";
import { newId } from "../envelope/ids.ts";
import type { Services } from "../services.ts";
import type { Refusal } from "../sources/source.ts";

const windowMs = 60_000;

interface Counted {
  readonly connection: Connection;
  readonly reasons: Map<Refusal, number>;
}

const counting = new Map<string, Counted>();

/**
 * Webhooks with a wrong signature are audited, but anybody can send them, as many as they like: the first is written
 * down at once, and those of the minute after it together.
 */
export function countRefusal(services: Services, connection: Connection, reason: Refusal): void {
  const found = counting.get(connection.connectionId);
  if (found !== undefined) {
    found.reasons.set(reason, (found.reasons.get(reason) ?? 0) + 1);
    return;
  }
  counting.set(connection.connectionId, { connection, reasons: new Map() });
  void write(services, connection, new Map([[reason, 1]]));
  setTimeout(() => {
    const counted = counting.get(connection.connectionId);
    counting.delete(connection.connectionId);
    if (counted !== undefined && counted.reasons.size > 0) void write(services, connection, counted.reasons);
  }, windowMs).unref();
}

/** Nobody waits for it: a sender that is not who it claims to be is told so at once. */
async function write(
  services: Services,
  { tenantId, connectionId }: Connection,
  reasons: ReadonlyMap<Refusal, number>,
): Promise<void> {
  await services.audit
    .append(tenantId, {
      at: new Date(),
      actor: "anonymous",
      role: "none",
      action: "webhook.refused",
      target: `connections/${connectionId}`,
      correlationId: newId(),
      phase: "done",
      details: JSON.stringify(Object.fromEntries(reasons)),
    })
    .catch(() => {});
}
