import { catalogSubjects } from "../catalog/catalog.ts";
import { connectionsTable, listConnections } from "../ledgers/connections.ts";
import { listSubjectNames } from "../ledgers/subjects.ts";
import type { Services } from "../services.ts";
import type { Surroundings } from "./checks/surroundings.ts";

/** What a tenant has besides its configuration, read anew: validation is rare, and a stale warning misleads. */
export async function surroundingsOf(services: Services, tenantId: string): Promise<Surroundings> {
  const [observed, connections] = await Promise.all([
    listSubjectNames(services.tables.subjects, tenantId),
    services.platform.table(connectionsTable).then((table) => listConnections(table, tenantId, "", Infinity)),
  ]);
  return {
    knownSubjects: [...catalogSubjects, ...observed],
    connections: connections.map(({ connection }) => connection.connectionId),
  };
}
