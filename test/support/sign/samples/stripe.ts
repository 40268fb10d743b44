import type { Sample, Samples } from "./sample.ts";

export const stripeSamples: Samples = (delivery) => {
  const event = (
    type: string,
    object: Readonly<Record<string, unknown>> & { readonly object: string },
    about: Pick<Sample, "objectId" | "eventType">,
  ): Sample => ({
    subject: `stripe.events.${type}`,
    objectType: object.object,
    ...about,
    eventTime: "2025-11-18T10:00:00.000Z",
    deliveryId: `evt_${delivery}`,
    headers: { "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)" },
    payload: {
      id: `evt_${delivery}`,
      object: "event",
      api_version: "2025-09-30.clover",
      created: 1763460000,
      type,
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
    },
  });
  const invoice = {
    object: "invoice",
    customer: "cus_NeZwdNtLEOXuvB",
    status: "paid",
    amount_due: 2000,
    amount_paid: 2000,
    currency: "eur",
  };
  return [
    event(
      "invoice.paid",
      { id: "in_1MtHbELkdIwHu7ixl4OzzPMv", ...invoice },
      { objectId: "in_1MtHbELkdIwHu7ixl4OzzPMv", eventType: "paid" },
    ),
    event("invoice.upcoming", invoice, { objectId: `evt_${delivery}`, eventType: "upcoming" }),
    event(
      "charge.refunded",
      { id: "ch_3MmlLrLkdIwHu7ix0snN0B15", object: "charge", amount: 1099, currency: "usd", paid: true },
      { objectId: "ch_3MmlLrLkdIwHu7ix0snN0B15", eventType: "refunded" },
    ),
    event(
      "payment_intent.succeeded",
      { id: "pi_3MtwBw", object: "payment_intent", amount: 2000, currency: "usd", status: "succeeded" },
      { objectId: "pi_3MtwBw", eventType: "succeeded" },
    ),
    event(
      "customer.subscription.trial_will_end",
      {
        id: "sub_1MowQV",
        object: "subscription",
        customer: "cus_Na6dX7aXxi11N4",
        status: "trialing",
        items: { object: "list", data: [{ id: "si_Na6dzxczY5fwHx" }] },
      },
      { objectId: "sub_1MowQV", eventType: "trial_will_end" },
    ),
    event(
      "checkout.session.completed",
      { id: "cs_test_a11", object: "checkout.session", mode: "payment", payment_status: "paid" },
      { objectId: "cs_test_a11", eventType: "completed" },
    ),
    event(
      "balance.available",
      { object: "balance" },
      { objectId: `evt_${delivery}`, eventType: "available" },
    ),
  ];
};
