import { app, type InvocationContext, type Timer } from "@azure/functions";

import { services } from "../shared/services.ts";
import { purgeLedgers } from "../shared/work/purge-ledger.ts";

/** Forgets side effects that are older than their routes want them remembered. */
async function purge(_: Timer, context: InvocationContext): Promise<void> {
  const all = await services();
  await purgeLedgers(all, all.logTo(context, "purge-ledger"), new Date());
}

app.timer("purge-ledger", { schedule: "0 17 * * * *", handler: purge });
