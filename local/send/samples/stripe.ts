import type { Occurrence } from "../occurrence.ts";
import type { Sample, Samples } from "../vendor.ts";

const event = (type: string, object: (of: Occurrence) => object): readonly [string, Sample] => [
  type,
  {
    payload: (of) => ({
      id: `evt_${of.id}`,
      object: "event",
      api_version: "2025-09-30.clover",
      created: Math.floor(of.at.getTime() / 1000),
      type,
      data: { object: object(of) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
    }),
  },
];

const invoice = ({ digits, number }: Occurrence, status: string): object => ({
  id: `in_1${digits.slice(0, 23)}`,
  object: "invoice",
  number: `INV-${number}`,
  customer: "cus_NeZwdNtLEOXuvB",
  status,
  amount_due: 2000,
  amount_paid: status === "paid" ? 2000 : 0,
  currency: "eur",
});

export const stripeSamples: Samples = Object.fromEntries([
  event("invoice.paid", (of) => invoice(of, "paid")),
  event("invoice.payment_failed", (of) => invoice(of, "open")),
  event("charge.refunded", ({ digits }) => ({
    id: `ch_3${digits.slice(0, 23)}`,
    object: "charge",
    amount: 1099,
    amount_refunded: 1099,
    currency: "usd",
    refunded: true,
  })),
  event("customer.subscription.deleted", ({ digits }) => ({
    id: `sub_1${digits.slice(0, 23)}`,
    object: "subscription",
    customer: "cus_Na6dX7aXxi11N4",
    status: "canceled",
  })),
  event("checkout.session.completed", ({ digits }) => ({
    id: `cs_test_a1${digits.slice(0, 40)}`,
    object: "checkout.session",
    mode: "payment",
    payment_status: "paid",
  })),
]);
