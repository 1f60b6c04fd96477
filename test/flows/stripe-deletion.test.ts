/** What an account pays for ends with the account, however long Stripe is away meanwhile. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  cancelDeletion,
  deleteDueAccounts,
  requestDeletion,
} from "../../src/account-data/deleting/deleting.ts";
import { systemCtx, type TxCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import { type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;
const log = createLog({ level: "silent", pretty: false });
let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

type Payer = Awaited<ReturnType<StripeBed["addPayer"]>>;

/** An owner asks for it by the route, which wants them to confirm; what follows is the same. */
async function inAccount<T>({ accountId }: Payer, work: (ctx: TxCtx) => Promise<T>) {
  const { db } = bed.app;
  return db.transaction((tx) => work(systemCtx({ clock: bed.clock, log }, tx, accountId)));
}
const ask = (payer: Payer) => inAccount(payer, (ctx) => requestDeletion(ctx, "Another"));
const takeBack = (payer: Payer) => inAccount(payer, (ctx) => cancelDeletion(ctx));

async function deleteDue(): Promise<void> {
  const { signal } = new AbortController();
  await deleteDueAccounts({ db: bed.app.db, clock: bed.clock, log, signal });
}

const endings = () =>
  bed.app.db.many<{ customer_id: string; ended_at: Date | null }>(
    sql`select customer_id, ended_at from billing_stripe_endings order by customer_id`,
  );

describe("an account that is to be deleted", () => {
  test("isn't charged for another period, and goes on paying where that is taken back", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    await ask(payer);
    await bed.caughtUp();
    assert.equal(subscription["cancel_at_period_end"], true);
    await takeBack(payer);
    await bed.caughtUp();
    assert.deepEqual([subscription["cancel_at_period_end"], subscription["status"]], [false, "active"]);
    assert.equal(subscription["metadata"].postrider_canceled_for, undefined);
  });

  test("stays canceled where its people had canceled before", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    await payer.send("POST", "/cancel", { at: "period_end" });
    await ask(payer);
    await bed.caughtUp();
    await takeBack(payer);
    await bed.caughtUp();
    assert.equal(subscription["cancel_at_period_end"], true);
  });
});

describe("an account that is deleted", () => {
  test("pays for nothing any more, though Stripe was away when it went, and nothing beyond closed statements is charged", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const other = await bed.addPayer();
    const theirs = await other.buy(bed.plans.small);
    const follower = uuidOf("pls", (await payer.billing())["subscription"].id);
    await ask(payer);
    await bed.caughtUp();
    // What is closed meanwhile is charged as ever.
    await bed.closeStatement(payer.accountId, follower, 300);
    await bed.chargeOverages();
    const customer = subscription["customer"];
    assert.equal(bed.fake.all("invoiceitem", customer).length, 1);
    bed.clock.step(14 * DAY_MS);
    await bed.closeStatement(payer.accountId, follower, 500);
    bed.fake.fail(/^(GET|DELETE) \/v1\/(customers|subscriptions)/, "error", 6);
    await deleteDue();
    const [left] = await bed.app.db.many(sql`select from accounts where account_id = ${payer.accountId}`);
    assert.equal(left, undefined);
    assert.equal(subscription["status"], "active");
    // The timer comes again, however often the job gave up.
    await until(async () => {
      await bed.runJob("end_at_stripe").catch(() => undefined);
      return subscription["status"] === "canceled";
    });
    await until(async () => (await endings()).every(({ ended_at }) => ended_at !== null));
    assert.deepEqual(
      (await endings()).map(({ customer_id }) => customer_id),
      [customer],
    );
    await bed.runJob("charge_overages");
    assert.equal(bed.fake.all("invoiceitem", customer).length, 1);
    assert.equal(theirs["status"], "active");
  });

  test("ends also what is bought by a page that was open all the while", async () => {
    const payer = await bed.addPayer();
    await payer.send("POST", "/checkout", { plan_id: bed.plans.small["id"] });
    const session = bed.fake
      .all("checkout.session")
      .find((one: Json) => one["client_reference_id"] === payer.publicId);
    await ask(payer);
    bed.clock.step(14 * DAY_MS);
    await deleteDue();
    await until(async () => (await endings()).every(({ ended_at }) => ended_at !== null));
    const late = bed.fake.pay(session?.["id"]);
    const posted = await bed.post(bed.fake.event("customer.subscription.created", late));
    assert.equal(posted.status, 200, posted.text);
    await until(async () => late["status"] === "canceled");
  });
});
