/** Another plan: a dearer one closes the period with its own terms and begins one, a cheaper one is charged from the next period on. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeStatements } from "../../src/billing/statements/close-statements.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { addUsage } from "../support/usage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const log = createLog({ level: "silent", pretty: false });
let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

type Payer = Awaited<ReturnType<StripeBed["addPayer"]>>;

async function take(payer: Payer, plan: Json): Promise<Json> {
  const changed = await payer.send("POST", "/change", { plan_id: plan["id"] });
  assert.equal(changed.status, 200, changed.text);
  return changed.body;
}

const itemOf = (subscription: Json) => subscription["items"].data[0];
const totalsOf = (subscription: Json): number[] =>
  bed.fake
    .all("invoice", subscription["customer"])
    .map(({ total }) => total)
    .reverse();
const countUpdates = () =>
  bed.fake.asked.filter(({ method, path }) => method === "POST" && path.startsWith("/v1/subscriptions/"))
    .length;

/** Makes a plan, and one that is dearer and has fewer mails. */
async function makeOddPlans(included_mails: number | null): Promise<{ held: Json; fewer: Json }> {
  const make = (name: string, unit: number, included: number | null) =>
    bed.makePlan(name, `${unit / 100}.00`, bed.fake.addPrice(unit), { included_mails: included });
  return { held: await make("Starter", 2_900, included_mails), fewer: await make("Pro", 9_900, 5_000) };
}

describe("a dearer plan", () => {
  test("begins a period at once: the one before is closed by its own terms and credited at Stripe", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const before = (await payer.billing())["subscription"];
    await addUsage(bed.app.db, payer.accountId, { [bed.clock.now().toISOString()]: 4_000 });
    bed.clock.step(14 * DAY_MS);
    const now = bed.clock.now();
    const { subscription: plan } = await take(payer, bed.plans.large);
    assert.deepEqual([plan.plan_id, plan.terms.name], [bed.plans.large["id"], "Large"]);
    assert.notEqual(plan.id, before.id);
    assert.equal(Date.parse(plan.anchor), Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
    // Half of the small plan is left, and the large one is charged in full.
    assert.deepEqual(totalsOf(subscription), [2_900, 9_900 - 1_450]);
    assert.equal(subscription["billing_cycle_anchor"], Math.floor(now.getTime() / 1_000));

    bed.clock.step(2 * HOUR_MS);
    await until(async () => {
      await closeStatements({ db: bed.app.db, clock: bed.clock, log, signal: { aborted: false } });
      const rows = await bed.app.db.many(
        sql`select from billing_statements where account_id = ${payer.accountId}`,
      );
      return rows.length === 1;
    });
    const [statement] = await bed.app.db.many<{ overage: number; name: string }>(sql`
      select overage, bill ->> 'plan_name' as name from billing_statements where account_id = ${payer.accountId}`);
    assert.deepEqual(statement, { overage: 300, name: "Small" });
    await bed.chargeOverages();
    const [item] = bed.fake.all("invoiceitem", subscription["customer"]);
    assert.equal(item?.["amount"], 300);
  });

  test("that can't be paid changes nothing, and neither does one while something is open", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    bed.fake.decline(subscription["customer"]);
    bed.clock.step(DAY_MS);
    const declined = await payer.send("POST", "/change", { plan_id: bed.plans.large["id"] });
    assert.deepEqual([declined.status, declined.body.code], [409, "payment_refused"], declined.text);
    assert.match(declined.body.detail, /declined/);
    assert.equal(itemOf(subscription).price.id, "price_small");
    assert.equal((await payer.billing())["subscription"].plan_id, bed.plans.small["id"]);
    bed.fake.decline(subscription["customer"], false);
    await bed.post(bed.fake.event("invoice.payment_failed", bed.fake.renew(subscription["id"], "open")));
    await bed.caughtUp();
    const open = await payer.send("POST", "/change", { plan_id: bed.plans.large["id"] });
    assert.deepEqual([open.status, open.body.code], [409, "payment_refused"], open.text);
    assert.equal(itemOf(subscription).price.id, "price_small");
  });

  test("of another length begins at once too, and what is left of a year is credited", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.yearly);
    bed.clock.step(HOUR_MS);
    const { subscription: plan } = await take(payer, bed.plans.small);
    assert.equal(plan.plan_id, bed.plans.small["id"]);
    const [, credited = 0] = totalsOf(subscription);
    assert.ok(credited < 0, String(credited));
  });

  test("is asked for once, also twice at once", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    bed.clock.step(DAY_MS);
    await Promise.all([take(payer, bed.plans.large), take(payer, bed.plans.large)]);
    assert.equal(totalsOf(subscription).length, 2);
  });
});

describe("a cheaper plan", () => {
  test("is charged from the next period on, and nothing before that", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.large);
    const { current_period_end, current_period_start } = itemOf(subscription);
    bed.clock.step(DAY_MS);
    await take(payer, bed.plans.small);
    assert.deepEqual(totalsOf(subscription), [9_900]);
    const item = itemOf(subscription);
    assert.deepEqual(
      [item.price.id, item.current_period_start, item.current_period_end],
      ["price_small", current_period_start, current_period_end],
    );
    assert.equal(bed.fake.renew(subscription["id"], "paid")["total"], 2_900);
  });

  test("is asked for with the trial, which lasts", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.trial);
    const anchor = subscription["billing_cycle_anchor"];
    await take(payer, bed.plans.large);
    assert.deepEqual([subscription["billing_cycle_anchor"], totalsOf(subscription)], [anchor, []]);
    assert.equal(itemOf(subscription).price.id, "price_large");
  });
});

describe("a dearer plan with fewer mails", () => {
  for (const [what, included_mails] of [
    ["than another", 10_000],
    ["than one without a limit", null],
  ] as const)
    test(`${what} is smaller: it is charged by Stripe from when it holds here, the next period`, async () => {
      const { held, fewer } = await makeOddPlans(included_mails);
      const payer = await bed.addPayer();
      const subscription = await payer.buy(held);
      bed.clock.step(DAY_MS);
      const { subscription: plan } = await take(payer, fewer);
      assert.deepEqual(totalsOf(subscription), [2_900], "nothing is charged before it holds");
      assert.deepEqual([plan.plan_id, plan.pending_change.plan.id], [held["id"], fewer["id"]]);
      const { current_period_end } = itemOf(subscription);
      assert.equal(Date.parse(plan.pending_change.at), Math.floor(current_period_end / 3_600) * HOUR_MS);
      assert.equal(bed.fake.renew(subscription["id"], "paid")["total"], 9_900);
    });
});

describe("a plan that was changed in Stripe's portal", () => {
  async function change(from: Json, to: Json, proration: "always_invoice" | "create_prorations" | "none") {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(from);
    bed.clock.step(DAY_MS);
    bed.fake.swapAtPortal(subscription["id"], to["stripe_price_id"], proration);
    await bed.post(bed.fake.event("customer.subscription.updated", subscription));
    await bed.caughtUp();
    const { subscription: plan } = await payer.billing();
    return { payer, subscription, planId: plan.plan_id, nextId: plan.pending_change?.plan.id ?? null };
  }

  for (const proration of ["always_invoice", "create_prorations"] as const)
    test(`and charged for what is left of the period (${proration}) holds at once, smaller or not`, async () => {
      const { held, fewer } = await makeOddPlans(10_000);
      for (const [from, to] of [
        [held, fewer],
        [fewer, held],
      ] as const) {
        const { planId, nextId } = await change(from, to, proration);
        assert.deepEqual([planId, nextId], [to["id"], null]);
      }
    });

  test("and charged from the next period on holds from that, larger or not", async () => {
    const { small, large } = bed.plans;
    for (const [from, to] of [
      [small, large],
      [large, small],
    ] as const) {
      const { planId, nextId } = await change(from, to, "none");
      assert.deepEqual([planId, nextId], [from["id"], to["id"]]);
    }
  });

  test("and then changed here to a smaller one keeps what was charged until the period ends", async () => {
    for (const proration of ["always_invoice", "create_prorations"] as const) {
      const { payer } = await change(bed.plans.small, bed.plans.large, proration);
      const { subscription: plan } = await take(payer, bed.plans.small);
      assert.deepEqual(
        [plan.plan_id, plan.pending_change.plan.id],
        [bed.plans.large["id"], bed.plans.small["id"]],
      );
    }
  });
});

describe("a plan of the same price", () => {
  test("with more mails holds at once, charges nothing and begins no period", async () => {
    const { held } = await makeOddPlans(10_000);
    const { held: larger } = await makeOddPlans(20_000);
    const payer = await bed.addPayer();
    const subscription = await payer.buy(held);
    const before = (await payer.billing())["subscription"];
    bed.clock.step(DAY_MS);
    const { subscription: plan } = await take(payer, larger);
    assert.deepEqual([plan.plan_id, plan.id, plan.period], [larger["id"], before.id, before.period]);
    assert.deepEqual(totalsOf(subscription), [2_900]);
  });
});

describe("the plan that the account has", () => {
  test("taken once more takes a cancellation back and charges nothing", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    await payer.send("POST", "/cancel", { at: "period_end" });
    const asked = countUpdates();
    const { payment } = await take(payer, bed.plans.small);
    assert.equal(payment.cancels_at, null);
    assert.equal(countUpdates(), asked + 1);
    assert.deepEqual(totalsOf(subscription), [2_900]);
  });
});
