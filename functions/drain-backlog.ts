import { app, type InvocationContext, type Timer } from "@azure/functions";

import { services } from "../shared/services.ts";
import { drainBacklog } from "../shared/work/drain-backlog.ts";

/** Puts work that waited for its route on the queue. */
async function drain(_: Timer, context: InvocationContext): Promise<void> {
  const all = await services();
  await drainBacklog(all, all.logTo(context, "drain-backlog"), new Date());
}

app.timer("drain-backlog", { schedule: "*/30 * * * * *", handler: drain });
