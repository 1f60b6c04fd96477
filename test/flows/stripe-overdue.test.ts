/** An account that owes is told, stopped by steps, and goes on by itself; and what mails beyond a plan cost is charged exactly once. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { makeCampaign, readCampaign } from "../support/campaigns.ts";
import { caughtFor, MAIL, postEmail } from "../support/emails.ts";
import { addPerson } from "../support/people.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OWNER = "owner@example.com";
let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

async function later(days: number): Promise<void> {
  bed.clock.advance(days * DAY_MS);
  await bed.runJob("maintain_partitions");
  await bed.runJob("remind_of_payments");
}

describe("an account that owes", () => {
  test("is told on days 0, 3 and 7, sends no campaigns from 7 and nothing from 14, and goes on once it pays", async () => {
    const { app, fake } = bed;
    await addPerson(app, OWNER, "owner");
    const listId = await makeList(app);
    await addSubscriber(app, listId, "reader@example.com");
    const payer = await bed.payerOf(uuidOf("acc", app.accountId), app.key);
    const subscription = await payer.buy(bed.plans.small);
    const told = async () =>
      (await caughtFor(app, OWNER)).filter((mail) => /Pay what is open/.test(mail)).length;
    const holds = async () =>
      (await app.api("GET", "/v1/account")).body.holds.map(({ kind, stops }: Json) => `${kind} ${stops}`);

    const open = fake.renew(subscription["id"], "open");
    await bed.post(fake.event("invoice.payment_failed", open));
    await bed.caughtUp();
    const { payment } = await payer.billing();
    const since = bed.clock.now();
    const after = (days: number) => new Date(since.getTime() + days * DAY_MS).toISOString();
    assert.deepEqual(
      [payment.status, payment.past_due_since, payment.campaigns_stop_at, payment.transactional_stops_at],
      ["past_due", after(0), after(7), after(14)],
    );
    await until(async () => (await told()) === 1);
    await later(2.9);
    assert.equal(await told(), 1);
    await later(0.1);
    await until(async () => (await told()) === 2);
    assert.deepEqual(await holds(), []);

    await later(4);
    await until(async () => (await told()) === 3);
    assert.deepEqual(await holds(), ["payment_overdue campaigns"]);
    const campaign = await makeCampaign(app, listId);
    const refused = await app.api("POST", `/v1/campaigns/${campaign["id"]}/send`);
    assert.deepEqual(
      [refused.body.code, refused.body.hold],
      ["sending_stopped", "payment_overdue"],
      refused.text,
    );
    await postEmail(app, { ...MAIL, to: ["seventh@example.com"] });
    await until(async () => (await caughtFor(app, "seventh@example.com")).length === 1);

    await later(7);
    assert.deepEqual(await holds(), ["payment_overdue all"]);
    await postEmail(app, { ...MAIL, to: ["fourteenth@example.com"] });
    const exported = await app.api("GET", "/v1/account/export");
    assert.equal(exported.status, 200, exported.text.slice(0, 200));
    assert.equal((await caughtFor(app, "fourteenth@example.com")).length, 0);
    assert.equal(await told(), 3);

    bed.clock.advance(1_000);
    fake.settle(open["id"]);
    await bed.post(fake.event("invoice.paid", open));
    await bed.caughtUp();
    assert.deepEqual(await holds(), []);
    assert.equal((await payer.billing())["payment"].past_due_since, null);
    await until(async () => (await caughtFor(app, "fourteenth@example.com")).length === 1);
    assert.equal((await app.api("POST", `/v1/campaigns/${campaign["id"]}/send`)).status, 202);
    await until(async () => (await readCampaign(app, campaign["id"]))["status"] === "sent");
    const types = await bed.app.db.many<{ type: string; day: number | null }>(sql`
      select type, (data ->> 'day')::int as day from events where type like 'account.payment%' order by created_at, id`);
    assert.deepEqual(
      types.map(({ type, day }) => `${type} ${day}`),
      [0, 3, 7, 14].map((day) => `account.payment_overdue ${day}`).concat("account.payment_settled null"),
    );
  });

  test("is told of the last alone where nobody looked for days, and stays stopped though Stripe gives its plan up", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const open = bed.fake.renew(subscription["id"], "open");
    await bed.post(bed.fake.event("invoice.payment_failed", open));
    await bed.caughtUp();
    await later(15);
    const holdsOf = async () => (await bed.app.api("GET", "/v1/account", { key: payer.key })).body.holds;
    assert.equal((await holdsOf())[0].stops, "all");
    bed.fake.end(subscription["id"], "payment_failed");
    await bed.post(bed.fake.event("customer.subscription.deleted", subscription));
    await bed.caughtUp();
    assert.deepEqual([(await payer.billing())["payment"].status, (await holdsOf()).length], ["canceled", 1]);
    bed.fake.settle(open["id"]);
    // Nobody is told of it: the daily look finds it.
    await bed.runJob("reconcile_with_stripe");
    await bed.caughtUp();
    assert.deepEqual(await holdsOf(), []);
  });

  test("stays stopped though it buys a plan anew, until what it owed for the one before is paid", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const open = bed.fake.renew(subscription["id"], "open");
    await bed.post(bed.fake.event("invoice.payment_failed", open));
    await bed.caughtUp();
    const since = (await payer.billing())["payment"].past_due_since;
    await later(15);
    bed.fake.end(subscription["id"], "payment_failed");
    await bed.post(bed.fake.event("customer.subscription.deleted", subscription));
    await bed.caughtUp();
    bed.clock.advance(HOUR_MS);
    await payer.buy(bed.plans.medium);
    const stateOf = async () => {
      const { payment, subscription: plan } = await payer.billing();
      const { holds } = (await bed.app.api("GET", "/v1/account", { key: payer.key })).body;
      return [
        plan.terms.name,
        payment.status,
        payment.past_due_since,
        holds.map(({ stops }: Json) => stops).join(),
      ];
    };
    assert.deepEqual(await stateOf(), ["Medium", "past_due", since, "all"]);
    bed.fake.settle(open["id"]);
    await bed.post(bed.fake.event("invoice.paid", open));
    await bed.caughtUp();
    assert.deepEqual(await stateOf(), ["Medium", "active", null, ""]);
  });
});

describe("mails beyond the plan", () => {
  const itemsOf = (customer: string) => bed.fake.all("invoiceitem", customer);
  const countCharged = async () => {
    const rows = await bed.app.db.many(sql`select from billing_overage_items where made_at is not null`);
    return rows.length;
  };

  /** Also the timer's own jobs are awaited: a day may not pass in the midst of one. */
  const jobHasFailed = async (statement: string) => {
    const jobs = await bed.app.db.many<{ key: string | null; attempts: number; locked_at: Date | null }>(sql`
      select key, attempts, locked_at from graphile_worker.jobs where task_identifier in ('charge_overage', 'charge_overages')`);
    const own = jobs.find(({ key }) => key === `charge overage ${uuidOf("sta", statement)}`);
    return (own?.attempts ?? 0) > 0 && jobs.every(({ locked_at }) => locked_at === null);
  };
  const ownInvoicesOf = (customer: string) =>
    bed.fake.all("invoice", customer).filter(({ metadata }) => metadata.statement_id !== undefined);

  for (const [what, path] of [
    ["invoice", /^POST \/v1\/invoices$/],
    ["item", /^POST \/v1\/invoiceitems/],
    ["end of the invoice", /^POST \/v1\/invoices\/\w+\/finalize/],
  ] as const)
    test(`are one item of one invoice of their own, also where Stripe's answer about the ${what} was lost and is missed for 25 hours`, async () => {
      const payer = await bed.addPayer();
      const subscription = await payer.buy(bed.plans.small);
      const customer = subscription["customer"];
      const follower = uuidOf("pls", (await payer.billing())["subscription"].id);
      // Stripe makes the invoice of the next period when that begins, and the statement is closed later.
      assert.equal(bed.fake.renew(subscription["id"], "paid")["total"], 2_900);
      const statement = await bed.closeStatement(payer.accountId, follower, 1_234);
      const charged = await countCharged();
      // Nobody hears of what Stripe made.
      bed.fake.fail(path, "drop");
      await bed.runJob("charge_overages");
      await until(() => jobHasFailed(statement));
      assert.equal(await countCharged(), charged);
      bed.clock.advance(25 * HOUR_MS);
      await bed.runJob("charge_overages");
      await until(async () => (await countCharged()) === charged + 1);
      const [item, ...more] = itemsOf(customer);
      assert.deepEqual([more.length, item?.["amount"], item?.["currency"]], [0, 1_234, "eur"]);
      assert.deepEqual(item?.["metadata"], { statement_id: statement });
      const [invoice, ...others] = ownInvoicesOf(customer);
      assert.deepEqual([others.length, invoice?.["id"]], [0, item?.["invoice"]]);
      // It is charged to the card of the subscription, and not with the next period.
      assert.deepEqual([invoice?.["total"], invoice?.["status"]], [1_234, "paid"]);
      assert.equal(invoice?.["default_payment_method"], subscription["default_payment_method"]);
      await bed.runJob("charge_overages");
      assert.equal(bed.fake.renew(subscription["id"], "paid")["total"], 2_900);
      assert.deepEqual([itemsOf(customer).length, ownInvoicesOf(customer).length], [1, 1]);
    });

  test("of a plan that an operator gave aren't charged", async () => {
    const payer = await bed.addPayer();
    const path = `/v1/instance/accounts/${payer.publicId}/subscription`;
    const given = await bed.app.api("PUT", path, {
      key: bed.operator,
      body: { plan_id: bed.plans.given["id"] },
    });
    await bed.closeStatement(payer.accountId, uuidOf("pls", given.body.id), 500);
    const charged = await countCharged();
    await bed.runJob("charge_overages");
    assert.equal(await countCharged(), charged);
  });

  test("of a plan that was canceled get an invoice of their own", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const follower = uuidOf("pls", (await payer.billing())["subscription"].id);
    assert.equal((await payer.send("POST", "/cancel", { at: "now" })).status, 200);
    await bed.closeStatement(payer.accountId, follower, 700);
    const charged = await countCharged();
    await bed.runJob("charge_overages");
    await until(async () => (await countCharged()) === charged + 1);
    const [item] = itemsOf(subscription["customer"]);
    assert.equal(bed.fake.get(item?.["invoice"])?.["total"], 700);
  });
});

describe("an invoice for mails beyond the plan that isn't paid", () => {
  const holdsOf = async ({ key }: { key: string }) =>
    (await bed.app.api("GET", "/v1/account", { key })).body.holds.map(
      ({ kind, stops }: Json) => `${kind} ${stops}`,
    );

  /** Owes for mails beyond its plan, and for nothing else. */
  async function addOwing() {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    bed.fake.decline(subscription["customer"]);
    const follower = uuidOf("pls", (await payer.billing())["subscription"].id);
    await bed.closeStatement(payer.accountId, follower, 900);
    await bed.chargeOverages();
    const [invoice] = bed.fake
      .all("invoice", subscription["customer"])
      .filter(({ metadata }) => metadata.statement_id !== undefined);
    assert.equal(invoice?.["status"], "open");
    await bed.post(bed.fake.event("invoice.payment_failed", invoice as Json));
    await bed.caughtUp();
    return { ...payer, subscription, invoice: invoice as Json };
  }

  for (const [how, type] of [
    ["paid", "invoice.paid"],
    ["void", "invoice.voided"],
    ["uncollectible", "invoice.marked_uncollectible"],
  ] as const)
    test(`makes an account past due by the same steps, until it is ${how}`, async () => {
      const payer = await addOwing();
      const { payment } = await payer.billing();
      assert.equal(payment.status, "past_due");
      assert.equal(Date.parse(payment.campaigns_stop_at) - Date.parse(payment.past_due_since), 7 * DAY_MS);
      assert.deepEqual(await holdsOf(payer), []);
      await later(7);
      assert.deepEqual(await holdsOf(payer), ["payment_overdue campaigns"]);
      await later(7);
      assert.deepEqual(await holdsOf(payer), ["payment_overdue all"]);
      const exported = await bed.app.api("GET", "/v1/account/export", { key: payer.key });
      assert.equal(exported.status, 200, exported.text.slice(0, 200));
      const days = await bed.app.db.many<{ day: number }>(sql`
        select (data ->> 'day')::int as day from events where account_id = ${payer.accountId} and type = 'account.payment_overdue' order by 1`);
      assert.deepEqual(
        days.map(({ day }) => day),
        [0, 7, 14],
      );
      if (how === "paid") bed.fake.settle(payer.invoice["id"]);
      else bed.fake.giveUp(payer.invoice["id"], how);
      await bed.post(bed.fake.event(type, payer.invoice));
      await bed.caughtUp();
      assert.deepEqual([(await payer.billing())["payment"].status, await holdsOf(payer)], ["active", []]);
      const { body } = await payer.send("GET", "/invoices");
      assert.ok(body.data.some(({ status, total }: Json) => status === how && total === "9.00"));
    });

  test("is owed for though the plan is canceled and its last period paid", async () => {
    const payer = await addOwing();
    assert.equal((await payer.send("POST", "/cancel", { at: "now" })).status, 200);
    const { payment } = await payer.billing();
    assert.equal(payment.status, "canceled");
    assert.notEqual(payment.past_due_since, null);
  });

  test("is put off by an operator until a day, and stops what is due by then once that has passed", async () => {
    const payer = await addOwing();
    await later(14);
    assert.deepEqual(await holdsOf(payer), ["payment_overdue all"]);
    const path = `/v1/instance/accounts/${payer.publicId}`;
    const until = new Date(bed.clock.now().getTime() + 5 * DAY_MS).toISOString();
    const give = (body: Json) => bed.app.api("POST", `${path}/grace`, { key: bed.operator, body });
    for (const wrong of [bed.clock.now(), new Date(bed.clock.now().getTime() + 91 * DAY_MS)]) {
      const refused = await give({ until: wrong.toISOString(), reason: "x" });
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.code], [422, "out_of_range"], refused.text);
    }
    const given = await give({ until, reason: "Their transfer is on its way" });
    assert.deepEqual(
      [given.status, given.body.state, given.body.debt.grace_until],
      [200, "active", until],
      given.text,
    );
    assert.deepEqual(await holdsOf(payer), []);
    const { payment } = await payer.billing();
    assert.deepEqual([payment.grace_until, payment.campaigns_stop_at], [until, until]);
    const audit = await bed.app.db.many<Json>(sql`
      select action from audit_log where action = 'account.payment_put_off' and account_id = ${payer.accountId}`);
    assert.equal(audit.length, 1);

    // Neither time nor a look brings it back before that.
    await later(4);
    await bed.post(bed.fake.event("invoice.updated", payer.invoice));
    await bed.caughtUp();
    assert.deepEqual(await holdsOf(payer), []);
    await later(1);
    assert.deepEqual(await holdsOf(payer), ["payment_overdue all"]);
    const shown = await bed.app.api("GET", path, { key: bed.operator });
    assert.deepEqual([shown.body.state, shown.body.debt.grace_until], ["payment_overdue", null], shown.text);

    // Given once more, it is taken back at once, and ends by itself with the debt.
    await give({ until: new Date(bed.clock.now().getTime() + DAY_MS).toISOString(), reason: "x" });
    assert.deepEqual(await holdsOf(payer), []);
    assert.equal((await give({ until: null, reason: "Nothing came" })).status, 200);
    assert.deepEqual(await holdsOf(payer), ["payment_overdue all"]);
    await give({ until: new Date(bed.clock.now().getTime() + DAY_MS).toISOString(), reason: "x" });
    bed.fake.settle(payer.invoice["id"]);
    await bed.post(bed.fake.event("invoice.paid", payer.invoice));
    await bed.caughtUp();
    assert.deepEqual((await bed.app.api("GET", path, { key: bed.operator })).body.debt, null);
    const none = await give({
      until: new Date(bed.clock.now().getTime() + DAY_MS).toISOString(),
      reason: "x",
    });
    assert.deepEqual([none.status, none.body.code], [409, "nothing_owed"], none.text);
  });
});
