import { requiredTextAt, textAt, timeAndDelivery, timeAt } from "./field.ts";
import type { Source } from "./source.ts";
import { segmentsOf, splitType, subjectOf } from "./subject.ts";

/**
 * The object is the one Stripe sends along (`data.object`) or, in the thin events of its second API, points at
 * (`related_object`). Those that have no id, a balance or an invoice to come, are known by the event's.
 */
export const stripe: Source = {
  name: "stripe",
  schemes: ["stripe"],
  normalise(_webhook, data) {
    const deliveryId = requiredTextAt(data, "id");
    const type = requiredTextAt(data, "type");
    const thing = textAt(data, "related_object.type") ?? requiredTextAt(data, "data.object.object");
    return {
      subject: subjectOf("stripe", "type", type),
      objectType: segmentsOf(thing, "data.object.object").join("."),
      objectId: textAt(data, "data.object.id", "related_object.id") ?? deliveryId,
      eventType: splitType(type, "type").eventType,
      ...timeAndDelivery(timeAt(data, "created"), deliveryId),
    };
  },
};
