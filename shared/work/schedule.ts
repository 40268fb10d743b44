import type { Services } from "../services.ts";
import type { WorkItem } from "./work-item.ts";

/** Puts work on the queue, for now or for later. The ledger decides what a message that comes twice may do. */
export async function scheduleWork(services: Services, item: WorkItem, at?: Date): Promise<void> {
  await services.senders.work.send({
    messageId: `${item.workId}:${item.attempt}`,
    correlationId: item.correlationId,
    tenantId: item.tenantId,
    subject: item.routeName,
    body: item,
    ...(at === undefined ? {} : { at }),
  });
}
