import { defineProblem } from "../platform/problems.ts";

export const planArchived = defineProblem(
  409,
  "plan_archived",
  "Plan archived",
  "The plan was archived: nobody subscribes to it any more, and it isn't changed. Accounts that have it keep it. Take another plan, or make one.",
);
export const planIsDefault = defineProblem(
  409,
  "plan_is_default",
  "Plan is the default",
  "The plan is what accounts get by themselves, when they are made and when another has ended. Mark another plan first, or take the mark from it.",
);
export const creditReversed = defineProblem(
  409,
  "credit_reversed",
  "Credit reversed",
  "The credit was reversed already, or is itself the reversal of another. To give again what it gave, make a new one.",
);
export const paymentsUnavailable = defineProblem(
  409,
  "payments_unavailable",
  "Payments unavailable",
  "Nobody is charged by this service: its operators have set no STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET. They give plans to accounts themselves.",
);
export const paymentsUnreachable = defineProblem(
  503,
  "payments_unreachable",
  "Payments unreachable",
  "Stripe doesn't answer, or refuses this service's key. Nothing was charged twice by it: send the same request again after `Retry-After`.",
);
export const proofUnavailable = defineProblem(
  503,
  "proof_unavailable",
  "Proof unavailable",
  "The account sent so much in this period that it can't be counted by what it was while somebody waits. The statement itself is exact. The proof is there once the period is closed.",
);
export const paymentRefused = defineProblem(
  409,
  "payment_refused",
  "Payment refused",
  "Stripe refused what it was asked; `detail` has its words. Often a price was archived there, or a card was declined.",
);
export const planNotSold = defineProblem(
  409,
  "plan_not_sold",
  "Plan not sold",
  "The plan has no price at Stripe, so nobody can buy it. Operators give it one as `stripe_price_id`.",
);
export const alreadySubscribed = defineProblem(
  409,
  "already_subscribed",
  "Already subscribed",
  "The account pays for a plan already. `POST /v1/billing/change` takes another, and `POST /v1/billing/portal` changes how it is paid.",
);
export const notSubscribed = defineProblem(
  409,
  "not_subscribed",
  "Not subscribed",
  "The account pays for no plan at present. `POST /v1/billing/checkout` buys one.",
);
export const stripeEventRefused = defineProblem(
  400,
  "stripe_event_refused",
  "Stripe event refused",
  "What was posted isn't signed by Stripe with the secret of this service or is older than five minutes (`signature`), is no event (`malformed`), or is of the other mode, test or live (`livemode`); `why` says which.",
);
export const nothingOwed = defineProblem(
  409,
  "nothing_owed",
  "Nothing owed",
  "The account owes nothing, and so nothing is to be put off. What else holds it is taken away otherwise.",
);
export const creditSpent = defineProblem(
  409,
  "credit_spent",
  "Credit spent",
  "The credit is spent, or a part of it: less is left of the account's credits than it gave, by statements and by mails that were sent since. What was spent can't be taken back.",
);
