import { catalogSubjects } from "../catalog/catalog.ts";
import { connectionsTable, listConnections } from "../ledgers/connections.ts";
import { listEvents } from "../ledgers/events.ts";
import { listSubjects } from "../ledgers/subjects.ts";
import type { Services } from "../services.ts";
import type { EventKind, Observations } from "./diagnose-tenant.ts";

const lookBackMs = 7 * 86_400_000;
const mostEvents = 500;

/** What came in for a tenant, as far as a diagnosis needs it. */
export async function observationsOf(
  services: Services,
  tenantId: string,
  recentKinds: readonly EventKind[],
): Promise<Observations> {
  const [observed, connections] = await Promise.all([
    listSubjects(services.tables.subjects, tenantId),
    services.platform.table(connectionsTable).then((table) => listConnections(table, tenantId, "", Infinity)),
  ]);
  return {
    knownSubjects: catalogSubjects,
    observed,
    recentKinds,
    connections: connections.map(({ connection }) => connection.connectionId),
  };
}

/** Neighbouring rows, and a bounded number of them. */
export async function recentKindsOf({ tables }: Services, tenantId: string, now: Date): Promise<EventKind[]> {
  const { items } = await listEvents(tables.events, {
    tenantId,
    from: new Date(now.getTime() - lookBackMs),
    to: now,
    limit: mostEvents,
    accepts: () => true,
  });
  const kinds = items.map((event) => ({
    type: event.subject,
    sourcesystem: event.sourceSystem,
    connectionid: event.connectionId,
    objecttype: event.objectType,
    eventtype: event.eventType,
  }));
  return [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
}
