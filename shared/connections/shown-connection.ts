import type { Connection } from "./connection.ts";

/** A connection as the API shows it: versions of secrets, and never a secret. */
export function shownConnection({ tenantId: _, ...connection }: Connection, baseUrl: string): object {
  return { ...connection, hookUrl: hookUrl(baseUrl, connection.connectionId) };
}

export function hookUrl(baseUrl: string, connectionId: string): string {
  return `${baseUrl}/hooks/${connectionId}`;
}
