import { app, type InvocationContext } from "@azure/functions";

import { dispatcherSubscription, eventsTopic, routerSubscription, workQueue } from "../shared/entities.ts";
import { recordDeadLetter } from "../shared/failures/record-dead-letter.ts";
import { services } from "../shared/services.ts";

/** Takes what the bus has given up on to where a person sees it: nothing sits unseen in a dead-letter subqueue. */
function drainFrom(entity: string): (message: unknown, context: InvocationContext) => Promise<void> {
  return async (message, context) => {
    const all = await services();
    const log = all.logTo(context, "drain-dead-letters");
    await recordDeadLetter(all, log, entity, message, context.triggerMetadata ?? {});
  };
}

const connection = "ServiceBusConnection";
const deadLetters = "$DeadLetterQueue";

app.serviceBusQueue("drain-dead-work", {
  connection,
  queueName: `${workQueue}/${deadLetters}`,
  handler: drainFrom(workQueue),
});

for (const subscription of [routerSubscription, dispatcherSubscription]) {
  app.serviceBusTopic(`drain-dead-${subscription}`, {
    connection,
    topicName: eventsTopic,
    subscriptionName: `${subscription}/${deadLetters}`,
    handler: drainFrom(subscription),
  });
}
