import type { Caller } from "../access/caller.ts";
import { Fault } from "../faults.ts";
import type { Services } from "../services.ts";

/** What was in a webhook is shown only where it is recorded who saw it. */
export async function auditPayloadRead(
  { audit }: Services,
  { tenantId, keyId, role }: Caller,
  read: { readonly eventId: string; readonly correlationId: string; readonly now: Date; readonly by: string },
): Promise<void> {
  const { eventId, correlationId, now, by } = read;
  const record = {
    at: now,
    actor: keyId,
    role,
    action: "event.read-payload",
    target: `events/${eventId}`,
    phase: "done",
    correlationId,
    details: JSON.stringify({ by }),
  } as const;
  await audit.append(tenantId, record).catch((error: unknown) => {
    const detail = "The audit cannot be written, so the payload is not shown.";
    throw new Fault("unavailable", detail, { cause: error, retryAfterSeconds: 5 });
  });
}
