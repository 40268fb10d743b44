import { stableId } from "../envelope/ids.ts";
import { raiseEscalation } from "../ledgers/escalations.ts";
import type { Failure } from "../ledgers/failures.ts";
import type { Services } from "../services.ts";

/** Makes sure that a person hears of a dead letter: once for each time it is parked. One dealt with needs nobody. */
export async function escalate(services: Services, failure: Failure, now: Date): Promise<void> {
  if (failure.state !== "Parked" && failure.state !== "Quarantined") return;
  const cause = `${failure.failureId}:${failure.attempts}`;
  await raiseEscalation(services.tables.escalations, failure.tenantId, cause, {
    escalationId: stableId("escalation", failure.tenantId, cause),
    raisedAt: now.toISOString(),
    code: failure.code,
    message: failure.message,
    runbook: failure.state === "Quarantined" ? "poison-message" : "replay",
    routeName: failure.routeName,
    correlationId: failure.correlationId,
    objectId: failure.objectId,
    classification: failure.classification,
    failureId: failure.failureId,
  });
}
