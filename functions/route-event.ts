import { app, type InvocationContext } from "@azure/functions";

import { eventsTopic, routerSubscription } from "../shared/entities.ts";
import { isEnvelope } from "../shared/envelope/read-envelope.ts";
import { recordGivenUp } from "../shared/failures/record-dead-letter.ts";
import { routeEvent } from "../shared/routing/route-event.ts";
import { services } from "../shared/services.ts";
import { allOf } from "../shared/work/all-of.ts";

/** Gives events to the routes that want them. */
async function routeEvents(messages: unknown, context: InvocationContext): Promise<void> {
  const all = await services();
  const log = all.logTo(context, "route-event");
  await allOf(messages, context.triggerMetadata, {
    handle: async (message) => {
      if (!isEnvelope(message)) throw new Error("The message is not an event");
      await routeEvent(all, log, message);
    },
    giveUp: (message, error) => recordGivenUp(all, log, routerSubscription, message, error),
  });
}

app.serviceBusTopic("route-event", {
  connection: "ServiceBusConnection",
  topicName: eventsTopic,
  subscriptionName: routerSubscription,
  cardinality: "many",
  handler: routeEvents,
});
