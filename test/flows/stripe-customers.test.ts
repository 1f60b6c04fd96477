/** Who is a customer of Stripe's: one that was deleted there, and one that was made by a key of another mode or account. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import { LIVE_KEY, OTHER_KEY, RESTRICTED_KEY } from "../support/stripe/stripe-fake.ts";
import type { Json } from "../support/subscribers.ts";

let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

type Payer = Awaited<ReturnType<StripeBed["addPayer"]>>;

async function reconcile(): Promise<void> {
  await bed.runJob("reconcile_with_stripe");
  await bed.caughtUp();
}

function customersOf({ publicId }: Payer): Json[] {
  return bed.fake.all("customer").filter(({ metadata }) => metadata?.account_id === publicId);
}

/** Runs the same instance with another key of Stripe's, and nothing but what is asked of it: its timers are the bed's. */
async function withKey(key: string, work: (app: TestApp) => Promise<void>): Promise<void> {
  const settings = { ...bed.fake.settings, STRIPE_SECRET_KEY: key, ROLES: "api,public" };
  const app = await createApp({ clock: bed.clock, databaseUrl: bed.app.databaseUrl, settings });
  try {
    await work(app);
  } finally {
    await app.stop();
  }
}

const planOf = async (payer: Payer) => (await payer.billing())["subscription"]?.plan_id;

describe("a customer that was deleted at Stripe", () => {
  test("has no plan any more, owes nothing, and the account buys again as another", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const open = bed.fake.renew(subscription["id"], "open");
    await bed.post(bed.fake.event("invoice.payment_failed", open));
    await bed.caughtUp();
    assert.equal((await payer.billing())["payment"].status, "past_due");
    const deleted = bed.fake.deleteCustomer(subscription["customer"]);
    await bed.post(bed.fake.event("customer.deleted", deleted));
    await bed.caughtUp();
    const { subscription: plan, payment } = await payer.billing();
    const ends = [plan.ends_at, payment.status, payment.past_due_since];
    assert.deepEqual(ends, [bed.endOfHour(), "none", null]);
    const portal = await payer.send("POST", "/portal");
    assert.deepEqual([portal.status, portal.body.code], [409, "not_subscribed"], portal.text);
    const again = await payer.buy(bed.plans.large);
    assert.notEqual(again["customer"], subscription["customer"]);
    assert.equal(await planOf(payer), bed.plans.large["id"]);
    // What Stripe still tells of the former one changes nothing.
    await bed.post(bed.fake.event("customer.subscription.deleted", subscription));
    await bed.caughtUp();
    assert.equal(await planOf(payer), bed.plans.large["id"]);
  });

  for (const path of ["checkout", "portal", "change", "cancel"] as const)
    test(`is found out by ${path}, where nobody was told of it`, async () => {
      const payer = await bed.addPayer();
      const { customer } = await payer.buy(bed.plans.small);
      bed.fake.deleteCustomer(customer);
      const bodies = {
        checkout: { plan_id: bed.plans.large["id"] },
        portal: {},
        change: { plan_id: bed.plans.large["id"] },
        cancel: { at: "now" },
      };
      const asked = await payer.send("POST", `/${path}`, bodies[path]);
      assert.equal(asked.status, 409, asked.text);
      // Who pays may not buy; at the latest the daily look says that nobody pays.
      await reconcile();
      assert.equal((await payer.billing())["payment"].status, "none");
      await payer.buy(bed.plans.large);
      assert.equal(customersOf(payer).filter(({ deleted }) => !deleted).length, 1);
    });

  test("while a page to pay is asked for becomes another at once", async () => {
    const payer = await bed.addPayer();
    await payer.send("POST", "/checkout", { plan_id: bed.plans.small["id"] });
    const [first] = customersOf(payer);
    bed.fake.deleteCustomer(first?.["id"]);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => payer.send("POST", "/checkout", { plan_id: bed.plans.large["id"] })),
    );
    for (const { status, text } of replies) assert.equal(status, 200, text);
    assert.equal(new Set(replies.map(({ body }) => body.url)).size, 1);
    assert.equal(customersOf(payer).filter(({ deleted }) => !deleted).length, 1);
  });

  test("with all that was made there is deleted too, where the key is known to be of the same account", async () => {
    const payer = await bed.addPayer();
    const { customer } = await payer.buy(bed.plans.small);
    bed.fake.forget(customer);
    await reconcile();
    const { subscription, payment } = await payer.billing();
    assert.deepEqual([subscription.ends_at, payment.status], [bed.endOfHour(), "none"]);
  });
});

describe("a key of another mode or account of Stripe's", () => {
  test("knows nothing of what was bought, ends nothing, and lets the account buy anew; the first key finds its own again", async () => {
    const payer = await bed.addPayer();
    const before = await payer.buy(bed.plans.small);
    const body = { plan_id: bed.plans.large["id"] };
    await withKey(OTHER_KEY, async (app) => {
      const at = (method: string, path: string, more?: Json) =>
        app.api(method, `/v1/billing${path}`, { key: payer.key, ...(more && { body: more }) });
      // Only Stripe can say that the customer isn't this key's: until then nobody pays twice.
      assert.equal((await at("POST", "/checkout", body)).body.code, "already_subscribed");
    });
    assert.equal(await planOf(payer), bed.plans.small["id"]);
    await withKey(LIVE_KEY, async (app) => {
      const at = (method: string, path: string, more?: Json) =>
        app.api(method, `/v1/billing${path}`, { key: payer.key, ...(more && { body: more }) });
      assert.equal((await at("GET", "")).body.payment.status, "none");
      assert.equal((await at("GET", "")).body.subscription.plan_id, bed.plans.small["id"]);
      for (const path of ["/portal", "/cancel", "/change"]) {
        const refused = await at(
          "POST",
          path,
          path === "/cancel" ? { at: "now" } : path === "/change" ? body : {},
        );
        assert.equal(refused.body.code, "not_subscribed", refused.text);
      }
      const opened = await at("POST", "/checkout", body);
      assert.equal(opened.status, 200, opened.text);
      const live = customersOf(payer).find(({ livemode }) => livemode);
      assert.ok(live, "a customer of the live mode was made");
    });
    assert.equal(before["status"], "active");
    // What the test mode tells is looked at again, by the key that is of it, and is the account's as before.
    await bed.post(bed.fake.event("customer.subscription.updated", before));
    await bed.caughtUp();
    const { payment } = await payer.billing();
    assert.deepEqual([payment.status, await planOf(payer)], ["active", bed.plans.small["id"]]);
    const rows = await bed.app.db.many<{ livemode: boolean; stripe_account: string }>(sql`
      select livemode, stripe_account from billing_stripe_customers where account_id = ${payer.accountId}`);
    assert.deepEqual(rows, [{ livemode: false, stripe_account: "acct_fake" }]);
  });

  test("of the test mode doesn't take the place of what is paid for in the live one", async () => {
    const payer = await bed.addPayer();
    await payer.send("POST", "/checkout", { plan_id: bed.plans.small["id"] });
    await bed.app.db.execute(sql`
      update billing_stripe_customers set livemode = true, status = 'active', subscription_id = 'sub_live' where account_id = ${payer.accountId}`);
    const refused = await payer.send("POST", "/checkout", { plan_id: bed.plans.small["id"] });
    assert.deepEqual([refused.status, refused.body.code], [409, "already_subscribed"], refused.text);
    await reconcile();
    const [row] = await bed.app.db.many<Json>(sql`
      select livemode, status, missing_as from billing_stripe_customers where account_id = ${payer.accountId}`);
    assert.deepEqual(row, { livemode: true, status: "active", missing_as: "foreign" });
    const still = await payer.send("POST", "/checkout", { plan_id: bed.plans.small["id"] });
    assert.deepEqual([still.status, still.body.code], [409, "already_subscribed"], still.text);
  });

  test("that may not ask whose it is charges all the same", async () => {
    const payer = await bed.addPayer();
    await withKey(RESTRICTED_KEY, async (app) => {
      const options = { key: payer.key, body: { plan_id: bed.plans.small["id"] } };
      const opened = await app.api("POST", "/v1/billing/checkout", options);
      assert.equal(opened.status, 200, opened.text);
    });
    await payer.buy(bed.plans.small);
    assert.equal(customersOf(payer).length, 1);
    assert.equal((await payer.billing())["payment"].status, "active");
  });

  test("charges nobody for mails that were sent by a plan of another", async () => {
    const payer = await bed.addPayer();
    const { customer } = await payer.buy(bed.plans.small);
    const [follower] = await bed.app.db.many<{ id: string; customer_id: string }>(sql`
      select plan_subscription_id as id, customer_id from billing_stripe_followers where account_id = ${payer.accountId}`);
    assert.equal(follower?.customer_id, customer);
    await bed.app.db.execute(sql`
      update billing_stripe_customers set livemode = true where account_id = ${payer.accountId}`);
    await bed.closeStatement(payer.accountId, follower?.id ?? "", 400);
    await bed.runJob("charge_overages");
    assert.deepEqual(bed.fake.all("invoiceitem", customer), []);
    await bed.app.db.execute(sql`
      update billing_stripe_customers set livemode = false where account_id = ${payer.accountId}`);
    await bed.chargeOverages();
    assert.equal(bed.fake.all("invoiceitem", customer).length, 1);
  });
});
