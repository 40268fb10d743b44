import { allShards } from "../envelope/ids.ts";
import { purgeEffects } from "../ledgers/purge-effects.ts";
import { listTenantIds, tenantsTable } from "../ledgers/tenants.ts";
import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";

/** Of each partition in one run: a ledger that has not been purged for long is caught up with over some hours. */
const mostPerShard = 1000;

/** Removes what routes no longer want remembered. One tenant's trouble does not keep the others from being purged. */
export async function purgeLedgers(services: Services, log: Log, now: Date): Promise<void> {
  for (const tenantId of await listTenantIds(await services.platform.table(tenantsTable))) {
    try {
      const count = await purgeTenant(services, tenantId, now);
      if (count > 0) log.event("ledger.purged", { tenantId, count });
    } catch (error) {
      log.event("sweep.failed", { tenantId, action: "purge-ledger", detail: String(error) });
    }
  }
}

async function purgeTenant({ tables }: Services, tenantId: string, now: Date): Promise<number> {
  const counts = await Promise.all(
    allShards.map((shard) => purgeEffects(tables.effects, tenantId, shard, now, mostPerShard)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
