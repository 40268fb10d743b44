import { app, type InvocationContext, type Timer } from "@azure/functions";

import { sweepInbox } from "../shared/ingest/sweep-inbox.ts";
import { services } from "../shared/services.ts";

/** Publishes what is stored and did not reach the bus. */
async function sweep(_: Timer, context: InvocationContext): Promise<void> {
  const all = await services();
  await sweepInbox(all, all.logTo(context, "sweep-inbox"), new Date());
}

app.timer("sweep-inbox", { schedule: "*/15 * * * * *", handler: sweep });
