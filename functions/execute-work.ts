import { app, type InvocationContext } from "@azure/functions";

import { workQueue } from "../shared/entities.ts";
import { services } from "../shared/services.ts";
import { executeWork } from "../shared/work/execute.ts";
import { readWorkItem } from "../shared/work/read-work-item.ts";

/**
 * Does what a route asks for, effectively once. One message a call: a vendor that is slow or fails holds up nobody
 * else's work, and what runs at the same time shares its writes all the same.
 */
async function executeWorkItem(message: unknown, context: InvocationContext): Promise<void> {
  const item = readWorkItem(message);
  if (item === undefined) throw new Error("The message is not a work item");
  const all = await services();
  await executeWork(all, all.logTo(context, "execute-work"), item);
}

app.serviceBusQueue("execute-work", {
  connection: "ServiceBusConnection",
  queueName: workQueue,
  handler: executeWorkItem,
});
