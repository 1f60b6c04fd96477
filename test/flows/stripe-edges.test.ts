/** What is seldom with Stripe: operators who step in, customers that are gone, and accounts that fail while others don't. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import type { Json } from "../support/subscribers.ts";
import { addUsage } from "../support/usage.ts";

const HOUR_MS = 3_600_000;
let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

const instance = (method: string, path: string, body?: Json) =>
  bed.app.api(method, `/v1/instance/${path}`, { key: bed.operator, ...(body && { body }) });

async function reconcile(): Promise<void> {
  await bed.runJob("reconcile_with_stripe");
  await bed.caughtUp();
}

describe("a plan that an operator ends while Stripe charges for it", () => {
  test("comes back at the next look, and no hour is of both", async () => {
    const payer = await bed.addPayer();
    await payer.buy(bed.plans.small);
    bed.clock.advance(5 * HOUR_MS);
    assert.equal((await instance("DELETE", `accounts/${payer.publicId}/subscription`)).status, 204);
    bed.clock.advance(HOUR_MS);
    await reconcile();
    const spans = await bed.app.db.many<{ started_at: Date; ended_at: Date | null }>(sql`
      select started_at, ended_at from billing_subscriptions where account_id = ${payer.accountId} order by started_at`);
    assert.equal(spans.length, 2);
    assert.deepEqual(spans[1]?.started_at, spans[0]?.ended_at);
    assert.equal(spans[1]?.ended_at, null);
  });
});

describe("credits of an account that pays at Stripe", () => {
  test("pay for mails beyond the plan, and not for the price, which Stripe charges all the same", async () => {
    const payer = await bed.addPayer();
    await payer.buy(bed.plans.small);
    const given = { amount: "50.00", currency: "EUR", reason: "Sorry" };
    assert.equal((await instance("POST", `accounts/${payer.publicId}/credits`, given)).status, 201);
    await addUsage(bed.app.db, payer.accountId, { [bed.clock.now().toISOString()]: 4_000 });
    bed.clock.step(32 * 24 * HOUR_MS);
    await bed.runJob("close_statements");
    const [statement] = await bed.app.db.many<Json>(sql`
      select spent_amount, overage, total from billing_statements where account_id = ${payer.accountId}`);
    assert.deepEqual(statement, { spent_amount: 300, overage: 0, total: 2_900 });
    assert.deepEqual((await payer.billing())["credits"].amounts, [{ currency: "EUR", amount: "47.00" }]);
  });
});
