import type { TableClient } from "@azure/data-tables";

import { perPlatform } from "../api/per-platform.ts";
import { appendAudit, auditTable } from "../ledgers/audit.ts";
import type { AuditRecord } from "./entry.ts";

export interface AuditTrail {
  /** Resolves when the record is in its tenant's chain. */
  readonly append: (tenantId: string, record: AuditRecord) => Promise<void>;
}

interface Waiting {
  readonly record: AuditRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const maxTogether = 50;

/** The one trail of this process: two of them would compete for the heads of the chains. */
export const auditTrailOn = perPlatform((platform) => createAuditTrail(() => platform.table(auditTable)));

/**
 * Appends one transaction at a time for each tenant, and what arrives meanwhile goes together in the next: writers in
 * one process never compete for the head of a chain, only those of different hosts do.
 */
export function createAuditTrail(table: () => Promise<TableClient>): AuditTrail {
  const queues = new Map<string, Waiting[]>();

  async function drain(tenantId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const group = queue.splice(0, maxTogether);
      try {
        const records = group.map(({ record }) => record);
        await appendAudit(await table(), tenantId, records);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    queues.delete(tenantId);
  }

  return {
    append: (tenantId, record) =>
      new Promise((resolve, reject) => {
        const waiting = { record, resolve, reject };
        const queue = queues.get(tenantId);
        if (queue !== undefined) {
          queue.push(waiting);
          return;
        }
        const begun = [waiting];
        queues.set(tenantId, begun);
        void drain(tenantId, begun);
      }),
  };
}
