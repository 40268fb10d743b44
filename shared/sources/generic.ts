import { fieldAt, headerOf, readTime, textAt, timeAndDelivery } from "./field.ts";
import { PayloadProblem, type Source, type Webhook } from "./source.ts";
import { segmentsOf, splitType, subjectOf } from "./subject.ts";

const header = { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" } as const;
const path = { type: "string", minLength: 1, maxLength: 256 } as const;
const value = { type: "string", minLength: 1, maxLength: 64 } as const;

/** Where to find something: in the payload, in a header, or always the same. */
const place = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: { path, header, value },
} as const;

/** A sender nobody has written a source for: the settings say where everything stands. */
export const generic: Source = {
  name: "generic",
  schemes: ["generic-hmac", "standard-webhooks"],
  configSchema: {
    type: "object",
    additionalProperties: false,
    required: ["name", "eventType", "objectId"],
    properties: {
      /** What the sender's subjects begin with. */
      name: { type: "string", pattern: "^[a-z][a-z0-9_-]{0,62}$" },
      eventType: place,
      /** Where it is absent, an event type such as `order.created` says it too. */
      objectType: place,
      objectId: place,
      eventTime: place,
      deliveryId: place,
    },
  },
  normalise(webhook, data, config) {
    const find = (field: string): string | undefined => textIn(webhook, data, fieldAt(config, field));
    const need = (field: string): string => {
      const text = find(field);
      if (text !== undefined) return text;
      const where = textAt(fieldAt(config, field), "path", "header") ?? field;
      throw new PayloadProblem(where, `The ${field} was expected in '${where}', where there is none.`);
    };
    const type = need("eventType");
    const objectType = fieldAt(config, "objectType") === undefined ? undefined : need("objectType");
    const typed = objectType === undefined ? [type] : [objectType, type];
    return {
      subject: subjectOf(textAt(config, "name") ?? "generic", "eventType", ...typed),
      ...(objectType === undefined
        ? splitType(type, "eventType")
        : { objectType: dotted(objectType, "objectType"), eventType: dotted(type, "eventType") }),
      objectId: need("objectId"),
      ...timeAndDelivery(readTime(find("eventTime")), find("deliveryId")),
    };
  },
};

function dotted(text: string, field: string): string {
  return segmentsOf(text, field).join(".");
}

function textIn(webhook: Webhook, data: unknown, where: unknown): string | undefined {
  const inPath = textAt(where, "path");
  if (inPath !== undefined) return textAt(data, inPath);
  const inHeader = textAt(where, "header");
  return inHeader === undefined ? textAt(where, "value") : headerOf(webhook, inHeader);
}
