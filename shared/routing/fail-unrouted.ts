import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import { failWork } from "../work/fail.ts";
import type { WorkItem } from "../work/work-item.ts";

/** An event that should have had a route and has none: a dead letter, to be replayed when the route is there. */
export async function failUnrouted(services: Services, log: Log, item: WorkItem): Promise<void> {
  await failWork(services, log, item, undefined, undefined, {
    classification: "Poison",
    code: "CONFIG_MISSING",
    message:
      item.subscriptionName === undefined
        ? `No route matches '${item.envelope.type}', and the connection wants every event to have one.`
        : `Subscription '${item.subscriptionName}' names route '${item.routeName}', which does not exist.`,
    mayHaveHappened: false,
  });
}
