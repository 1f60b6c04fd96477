/**
 * Charging accounts by Stripe is an option: it begins with STRIPE_SECRET_KEY (docs/decisions/0098). People pay on Stripe's pages, Stripe says who pays for
 * what, and this room makes that true here. This file is what other rooms and folders use.
 */
export { createPayments, type Payments } from "./client.ts";
export { endPayments, lookAtDeletion } from "./deletion/deletion.ts";
export { stripeJobs } from "./jobs.ts";
export { giveGrace } from "./overdue/grace.ts";
export { findDebts, readPayment } from "./payment.ts";
export { findPrice } from "./prices/prices.ts";
export { mountStripeWebhook } from "./webhook/webhook-route.ts";
