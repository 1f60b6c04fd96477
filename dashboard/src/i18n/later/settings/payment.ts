import { addWords } from "../../add-words.ts";

/** Paying by Stripe, where the service is set up for that. */
export const paymentWords = {
  payment: {
    title: "Payment",
    statuses: {
      none: "Nothing is paid by Stripe yet.",
      active: "Paid by Stripe.",
      past_due: "Something that was to be paid by Stripe wasn’t.",
      canceled: "What was paid by Stripe has ended.",
    },
    cancels: "It was cancelled, and ends on {{day}}.",
    pay: "Pay for this plan",
    portal: "Cards, addresses and receipts",
    keep: "Keep the plan",
    kept: "The plan goes on",
    cancel: "Cancel the plan",
    cancelTitle: "Cancel the plan?",
    cancelLead: "What was sent is still charged. Everything can be exported afterwards too.",
    when: "When",
    at: { period_end: "At the end of the period", now: "At once" },
    atHints: {
      period_end: "The plan lasts until then, because it is paid for.",
      now: "Nothing is paid back.",
    },
    cancelled: "The plan is cancelled",
    priceId: "Price at Stripe",
    priceIdHint: "Its id there, such as price_1Abc. Without one, accounts can’t buy the plan themselves.",
  },
  invoices: {
    title: "Invoices",
    none: "No invoice yet.",
    unreadable: "The invoices couldn’t be read",
    invoice: "Invoice",
    draft: "Not numbered yet",
    status: "State",
    statuses: {
      draft: "Draft",
      open: "To be paid",
      paid: "Paid",
      uncollectible: "Given up",
      void: "Void",
    },
    total: "Total",
    made: "Made",
    pdf: "PDF",
    pdfOf: "PDF of {{number}}",
  },
};

addWords(paymentWords);
