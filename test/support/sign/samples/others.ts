import type { Samples } from "./sample.ts";

/** Settings under which the samples of `standard-webhooks` are read. */
export const contactsSettings = { name: "crm" };

export const standardWebhooksSamples: Samples = (delivery) => [
  {
    subject: "crm.events.contact.created",
    objectType: "contact",
    objectId: "1f81eb52-5198-4599-803e-771906343485",
    eventType: "created",
    eventTime: "2025-11-18T20:26:10.344Z",
    deliveryId: `msg_${delivery}`,
    headers: {},
    payload: {
      type: "contact.created",
      timestamp: "2025-11-18T20:26:10.344522Z",
      data: { id: "1f81eb52-5198-4599-803e-771906343485" },
    },
  },
];

/** Settings under which the samples of `generic` are read, and signed. */
export const ordersSettings = {
  scheme: {
    header: "X-Shop-Signature",
    algorithm: "sha256",
    encoding: "base64",
    prefix: "v1=",
    timestamp: { header: "X-Shop-Timestamp", toleranceSeconds: 120, template: "{timestamp}:{body}" },
  },
  normaliser: {
    name: "shop",
    objectType: { value: "order" },
    objectId: { path: "order.id" },
    eventType: { header: "X-Shop-Event" },
    eventTime: { path: "happened_at" },
    deliveryId: { path: "notification" },
  },
} as const;

export const genericSamples: Samples = (delivery) => [
  {
    subject: "shop.events.order.shipped",
    objectType: "order",
    objectId: "4711",
    eventType: "shipped",
    eventTime: "2025-11-18T10:00:00.000Z",
    deliveryId: delivery,
    headers: { "X-Shop-Event": "shipped" },
    payload: {
      notification: delivery,
      happened_at: 1763460000000,
      order: { id: 4711, lines: [{ sku: "a" }] },
    },
  },
];
