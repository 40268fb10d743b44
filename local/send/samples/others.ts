import type { Sample, Samples } from "../vendor.ts";

const contact = (type: string): Sample => ({
  payload: ({ at, digits, number }) => ({
    type,
    timestamp: at.toISOString(),
    data: { id: `ct_${digits.slice(0, 16)}`, name: `Customer ${number}`, email: `c${number}@example.com` },
  }),
});

export const standardWebhooksSamples: Samples = {
  "contact.created": contact("contact.created"),
  "contact.deleted": contact("contact.deleted"),
};

/** Of a shop whose connection is docs/examples/generic-connection.json. */
const order = (type: string): Sample => ({
  payload: ({ id, at, number }) => ({
    id,
    type,
    time: at.toISOString(),
    order: { id: number, total: 42.5, currency: "EUR", lines: [{ sku: "A-100", quantity: 2 }] },
  }),
});

export const genericSamples: Samples = {
  "order.created": order("order.created"),
  "order.shipped": order("order.shipped"),
};
