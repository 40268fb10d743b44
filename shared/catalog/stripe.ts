import { type SourceCatalog, words } from "./rows.ts";
import type { Fields } from "./schema-of.ts";

function event(object: Fields): Fields {
  const prefixed = Object.entries(object).map(([path, type]) => [`data.object.${path}`, type] as const);
  return {
    id: "string",
    type: "string",
    created: "integer",
    livemode: "boolean?",
    account: "string?",
    "data.object.object": "string",
    ...Object.fromEntries(prefixed),
  };
}

const charge = event({
  id: "string",
  amount: "integer",
  currency: "string",
  status: "string?",
  paid: "boolean?",
});
const customer = event({ id: "string", email: "string|null?" });
const subscription = event({
  id: "string",
  customer: "string",
  status: "string",
  "items.data[].id": "string",
});
const paymentIntent = event({ id: "string", amount: "integer", currency: "string", status: "string" });
const paymentMethod = event({ id: "string", type: "string" });
const session = event({ id: "string", mode: "string", payment_status: "string?", customer: "string|null?" });
const priced = event({ id: "string", active: "boolean" });
const lifecycle = ["created", "deleted", "updated"];

/** An invoice to come has no id yet. */
const invoice = event({
  id: "string?",
  customer: "string|null?",
  status: "string|null?",
  amount_due: "integer?",
  amount_paid: "integer?",
  currency: "string?",
});

/** https://docs.stripe.com/api/events/types */
export const stripe: SourceCatalog = {
  source: "stripe",
  prefix: "stripe",
  rows: [
    {
      event: "invoice",
      title: "An invoice was made, paid or changed",
      actions: words(
        "created deleted finalization_failed finalized marked_uncollectible overdue overpaid paid " +
          "payment_action_required payment_attempt_required payment_failed payment_succeeded sent " +
          "upcoming updated voided will_be_due",
      ),
      fields: invoice,
    },
    {
      event: "charge",
      title: "A charge was made or changed",
      actions: words("captured expired failed pending refunded succeeded updated"),
      fields: charge,
    },
    {
      event: "charge.dispute",
      title: "A customer disputes a charge",
      actions: ["closed", "created", "funds_reinstated", "funds_withdrawn", "updated"],
      fields: event({
        id: "string",
        charge: "string",
        amount: "integer",
        reason: "string",
        status: "string",
      }),
    },
    {
      event: "refund",
      title: "A refund was made or changed",
      actions: ["created", "failed", "updated"],
      fields: event({ id: "string", amount: "integer", status: "string|null?" }),
    },
    {
      event: "payment_intent",
      title: "A payment moved on",
      actions: words(
        "amount_capturable_updated canceled created partially_funded payment_failed processing " +
          "requires_action succeeded",
      ),
      fields: paymentIntent,
    },
    {
      event: "setup_intent",
      title: "A payment method is being set up",
      actions: ["canceled", "created", "requires_action", "setup_failed", "succeeded"],
      fields: event({ id: "string", status: "string" }),
    },
    {
      event: "payment_method",
      title: "A payment method changed",
      actions: ["attached", "automatically_updated", "detached", "updated"],
      fields: paymentMethod,
    },
    { event: "customer", title: "A customer changed", actions: lifecycle, fields: customer },
    {
      event: "customer.subscription",
      title: "A subscription changed",
      actions: [
        ...lifecycle,
        "paused",
        "pending_update_applied",
        "pending_update_expired",
        "resumed",
        "trial_will_end",
      ],
      fields: subscription,
    },
    {
      event: "checkout.session",
      title: "A checkout ended",
      actions: ["async_payment_failed", "async_payment_succeeded", "completed", "expired"],
      fields: session,
    },
    { event: "product", title: "A product changed", actions: lifecycle, fields: priced },
    { event: "price", title: "A price changed", actions: lifecycle, fields: priced },
    {
      event: "payout",
      title: "Money moved to a bank account",
      actions: ["canceled", "created", "failed", "paid", "reconciliation_completed", "updated"],
      fields: event({ id: "string", amount: "integer", currency: "string", status: "string" }),
    },
    {
      event: "account",
      title: "A connected account changed",
      actions: ["updated"],
      fields: event({ id: "string" }),
    },
    { event: "balance", title: "Money became available", actions: ["available"], fields: event({}) },
  ],
};
