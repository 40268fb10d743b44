import { requiredHeaderOf, requiredTextAt, textAt, timeAndDelivery, timeAt } from "./field.ts";
import type { Source } from "./source.ts";
import { splitType, subjectOf } from "./subject.ts";

/** Any sender that follows Standard Webhooks: `{ type, timestamp, data }`. */
export const standardWebhooks: Source = {
  name: "standard-webhooks",
  schemes: ["standard-webhooks"],
  configSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      /** What the sender's subjects begin with. */
      name: { type: "string", pattern: "^[a-z][a-z0-9_-]{0,62}$", default: "standard" },
      /** Where the id of the object stands, from the top of the payload. */
      objectIdPath: { type: "string", minLength: 1, maxLength: 256, default: "data.id" },
    },
  },
  normalise(webhook, data, config) {
    const type = requiredTextAt(data, "type");
    const deliveryId = requiredHeaderOf(webhook, "webhook-id");
    const objectIdPath = textAt(config, "objectIdPath") ?? "data.id";
    return {
      subject: subjectOf(textAt(config, "name") ?? "standard", "type", type),
      ...splitType(type, "type"),
      // Without an id every event is an object of its own: none can then be taken for an older state of another.
      objectId: textAt(data, objectIdPath) ?? deliveryId,
      ...timeAndDelivery(timeAt(data, "timestamp"), deliveryId),
    };
  },
};
