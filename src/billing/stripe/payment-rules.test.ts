import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  deciding,
  fromStripeAmount,
  isOwedOverage,
  lasting,
  type StripeInvoice,
  type StripeSubscription,
  stepsDue,
  stoppedAfter,
  toStripeAmount,
  understand,
  understandAll,
} from "./payment-rules.ts";

const BASE: StripeSubscription = {
  id: "sub_1",
  status: "active",
  created: 100,
  start_date: 100,
  billing_cycle_anchor: 100,
  cancel_at: null,
  cancel_at_period_end: false,
  ended_at: null,
  latest_invoice: null,
  items: { data: [{ id: "si_1", current_period_end: 900, price: { id: "price_1" } }] },
};

describe("what Stripe says", () => {
  for (const [status, means, owes] of [
    ["active", "active", false],
    ["trialing", "active", false],
    ["past_due", "past_due", true],
    ["unpaid", "past_due", true],
    ["paused", "past_due", true],
    ["incomplete", "none", false],
    ["incomplete_expired", "none", false],
    ["canceled", "canceled", false],
    ["something new", "none", false],
  ] as const) {
    it(`${status} means ${means}`, () => {
      const { status: found, isOwing } = understand({ ...BASE, status });
      assert.deepEqual([found, isOwing], [means, owes]);
    });
  }

  it("a price is charged now where the newest charges have it, and is no more where it was credited", () => {
    const charge = (amount: number, price = "price_1", proration = true) => ({
      ...{ amount, proration, pricing: { price_details: { price } } },
    });
    const charged = (
      lines: ReturnType<typeof charge>[],
      pending: ReturnType<typeof charge>[] = [],
      status = "paid",
    ) => understand({ ...BASE, latest_invoice: { status, lines: { data: lines } } }, pending).isCharged;
    assert.equal(charged([charge(2_900)]), true);
    assert.equal(charged([charge(0)]), true);
    assert.equal(charged([charge(-2_900), charge(9_900, "price_2")]), false);
    assert.equal(charged([charge(2_900)], [charge(-1_450), charge(4_950, "price_2")]), false);
    assert.equal(charged([charge(9_900, "price_2")], [charge(1_450)]), true);
    assert.equal(charged([charge(2_900)], [charge(500, "price_of_a_setup", false)]), true);
    assert.equal(charged([charge(2_900)], [], "void"), false);
    assert.equal(understand({ ...BASE, status: "trialing" }).isCharged, undefined);
  });

  it("canceled is owed for until the last invoice is paid or given up, whoever canceled it", () => {
    const canceled = { ...BASE, status: "canceled" };
    const owes = (invoice: string) =>
      understand({ ...canceled, latest_invoice: { status: invoice } }).isOwing;
    assert.deepEqual(["open", "uncollectible", "paid", "void"].map(owes), [true, false, false, false]);
  });

  it("a debt of a subscription that was canceled is owed for whatever was bought since", () => {
    const owed = { ...BASE, id: "sub_0", status: "canceled", latest_invoice: { status: "open" } };
    const found = understandAll([{ ...BASE, created: 200 }, owed]);
    assert.deepEqual([found?.id, found?.status, found?.isOwing], ["sub_1", "active", true]);
    assert.equal(understandAll([BASE, { ...owed, latest_invoice: { status: "paid" } }])?.isOwing, false);
    assert.equal(understandAll([]), null);
  });

  it("an invoice for mails beyond a plan is owed once it was tried, or is a day old, until it is closed", () => {
    const now = new Date(1_000_000_000_000);
    const open = {
      status: "open",
      attempted: true,
      amount_due: 100,
      metadata: { statement_id: "sta_1" },
      status_transitions: { finalized_at: 1_000_000_000 - 86_400 },
    };
    const untried = { ...open, attempted: false };
    const owes = (invoice: StripeInvoice) => isOwedOverage(invoice, now);
    assert.deepEqual([open, untried].map(owes), [true, true]);
    const fresh = { finalized_at: 1_000_000_000 - 86_399 };
    const others = [
      { ...untried, status_transitions: fresh },
      { ...open, amount_due: 0 },
      { ...open, metadata: {} },
      { ...open, metadata: null },
      ...["draft", "paid", "void", "uncollectible"].map((status) => ({ ...open, status })),
    ];
    assert.deepEqual(
      others.map(owes),
      others.map(() => false),
    );
  });

  it("of several subscriptions one that lasts counts, then the newest", () => {
    const ended = { ...BASE, id: "sub_2", status: "canceled", created: 300 };
    const first = { ...BASE, id: "sub_3", status: "incomplete", created: 400 };
    assert.equal(deciding([ended, first, BASE])?.id, "sub_1");
    assert.equal(deciding([first, ended])?.id, "sub_2");
    assert.equal(deciding([BASE, { ...BASE, id: "sub_4", created: 101 }])?.id, "sub_4");
    assert.equal(deciding([]), undefined);
    const second = { ...BASE, id: "sub_4", status: "past_due" };
    assert.deepEqual(lasting([ended, BASE, first, second]), ["sub_1", "sub_4"]);
  });

  it("canceled at the end of the period ends with it", () => {
    assert.equal(understand({ ...BASE, cancel_at_period_end: true }).cancelsAt?.getTime(), 900_000);
    assert.equal(understand({ ...BASE, cancel_at: 700 }).cancelsAt?.getTime(), 700_000);
  });
});

describe("an account that owes", () => {
  const since = new Date("2027-01-31T09:30:00.000Z");
  const after = (days: number, ms = 0) => new Date(since.getTime() + days * 86_400_000 + ms);
  it("is told on days 0, 3 and 7, and stopped on 7 and 14", () => {
    const steps = [
      after(0),
      after(3, -1),
      after(3),
      after(7, -1),
      after(7),
      after(14, -1),
      after(14),
      after(99),
    ];
    assert.deepEqual(
      steps.map((now) => stepsDue(since, now)),
      [1, 1, 2, 2, 3, 3, 4, 4],
    );
    assert.deepEqual([0, 1, 2, 3, 4].map(stoppedAfter), [
      "nothing",
      "nothing",
      "nothing",
      "campaigns",
      "all",
    ]);
  });
});

describe("an amount", () => {
  it("is written as Stripe counts it, which ISO 4217 doesn't always", () => {
    assert.deepEqual(
      (["EUR", "JPY", "ISK", "UGX", "MGA", "KWD"] as const).map((currency) =>
        toStripeAmount(1_239, currency),
      ),
      [1_239, 1_239, 123_900, 123_900, 12, 1_230],
    );
    assert.deepEqual([fromStripeAmount(123_900, "ISK"), fromStripeAmount(12, "MGA")], [1_239, 1_200]);
  });
});
