import { app, type InvocationContext } from "@azure/functions";

import { dispatcherSubscription, eventsTopic } from "../shared/entities.ts";
import { isEnvelope } from "../shared/envelope/read-envelope.ts";
import { recordGivenUp } from "../shared/failures/record-dead-letter.ts";
import { dispatchGeneric } from "../shared/ingest/dispatch-generic.ts";
import { services } from "../shared/services.ts";
import { allOf } from "../shared/work/all-of.ts";

/** Looks into the generic events of pattern 2 and publishes what they are about. */
async function dispatchGenericEvents(messages: unknown, context: InvocationContext): Promise<void> {
  const all = await services();
  const log = all.logTo(context, "dispatch-generic");
  await allOf(messages, context.triggerMetadata, {
    handle: async (message) => {
      if (!isEnvelope(message)) throw new Error("The message is not an event");
      await dispatchGeneric(all, log, message);
    },
    giveUp: (message, error) => recordGivenUp(all, log, dispatcherSubscription, message, error),
  });
}

app.serviceBusTopic("dispatch-generic", {
  connection: "ServiceBusConnection",
  topicName: eventsTopic,
  subscriptionName: dispatcherSubscription,
  cardinality: "many",
  handler: dispatchGenericEvents,
});
