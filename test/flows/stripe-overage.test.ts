/** Mails beyond a plan are charged once, also where two charge them at once and where one of them was stopped for more than a day in between. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createPayments } from "../../src/billing/stripe/client.ts";
import { chargeOverage } from "../../src/billing/stripe/overage/overage.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import { STRIPE_KEY } from "../support/stripe/stripe-fake.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
const log = createLog({ level: "silent", pretty: false });
let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
  // The timer that charges fires when the service starts, and not again for an hour: from then on nobody charges but the test.
  await until(async () => {
    const fired = await bed.app.db.many(sql`
      select from timers where name = 'charge_overages' and last_fired_at is not null
        and not exists (select from graphile_worker.jobs where task_identifier in ('charge_overages', 'charge_overage'))`);
    return fired.length === 1;
  });
});
after(() => bed.stop());

type Asked = { readonly resource: string; readonly method: string };

/** Stripe as a job has it that stops before the first of these requests leaves, until it is let go. */
function stoppingBefore({ resource, method }: Asked) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const payments = paymentsOfBed();
  const stopping = async (asked: () => unknown) => {
    reached.resolve();
    await gate.promise;
    return asked();
  };
  return {
    reached: reached.promise,
    letGo: gate.resolve,
    payments: {
      ...payments,
      load: async (...how: Parameters<typeof payments.load>) => {
        const stripe = await payments.load(...how);
        const of = stripe[resource as "invoiceItems"];
        const stopped = Object.assign(Object.create(of), {
          // A list is asked for when it is gone through.
          list: (...params: Parameters<typeof of.list>) => {
            if (method !== "list") return of.list(...params);
            return (async function* () {
              const found: unknown[] = [];
              for await (const one of of.list(...params)) found.push(one);
              await stopping(() => undefined);
              yield* found;
            })();
          },
          ...(method === "create" && {
            create: (...params: Parameters<typeof of.create>) => stopping(() => of.create(...params)),
          }),
        });
        return Object.assign(Object.create(stripe), { [resource]: stopped });
      },
    },
  };
}

function paymentsOfBed() {
  const made = createPayments({
    stripeSecretKey: STRIPE_KEY,
    stripeWebhookSecret: ["whsec_x"],
    stripeApiUrl: bed.fake.url,
  });
  assert.ok(made);
  return made;
}

async function addOverage() {
  const payer = await bed.addPayer();
  const { customer } = await payer.buy(bed.plans.small);
  const follower = uuidOf("pls", (await payer.billing())["subscription"].id);
  const statement = await bed.closeStatement(payer.accountId, follower, 1_234);
  const uncharged = { account_id: payer.accountId, statement_id: uuidOf("sta", statement) };
  return {
    charge: (payments = paymentsOfBed()) =>
      chargeOverage({ db: bed.app.db, clock: bed.clock, log }, payments, uncharged),
    assertOnce() {
      const items = bed.fake.all("invoiceitem", customer);
      assert.deepEqual(
        items.map(({ amount }) => amount),
        [1_234],
      );
      const own = bed.fake
        .all("invoice", customer)
        .filter(({ metadata }) => metadata.statement_id === statement);
      assert.deepEqual(
        own.map(({ id, total, status }) => [id, total, status]),
        [[items[0]?.["invoice"], 1_234, "paid"]],
      );
    },
  };
}

const STEPS: readonly Asked[] = [
  { resource: "invoices", method: "list" },
  { resource: "invoices", method: "create" },
  { resource: "invoiceItems", method: "list" },
  { resource: "invoiceItems", method: "create" },
];

describe("mails beyond a plan", () => {
  for (const step of STEPS)
    test(`are left to whoever charges them already, where that one is at ${step.resource}.${step.method}`, async () => {
      const overage = await addOverage();
      const first = stoppingBefore(step);
      const charging = overage.charge(first.payments);
      await first.reached;
      await assert.rejects(overage.charge(), /somebody else charges/);
      first.letGo();
      await charging;
      overage.assertOnce();
      await overage.charge();
      overage.assertOnce();
    });

  for (const step of STEPS.filter(({ method }) => method === "list"))
    test(`aren't made by one who looked at ${step.resource} 25 hours ago, while another made them`, async () => {
      const overage = await addOverage();
      const first = stoppingBefore(step);
      const charging = overage.charge(first.payments);
      await first.reached;
      bed.clock.advance(25 * HOUR_MS);
      await overage.charge();
      overage.assertOnce();
      first.letGo();
      await assert.rejects(charging, /too old/);
      overage.assertOnce();
    });

  test("aren't taken by Stripe from one who was stopped for 25 hours on the way there, since the invoice is finished", async () => {
    const overage = await addOverage();
    const first = stoppingBefore({ resource: "invoiceItems", method: "create" });
    const charging = overage.charge(first.payments);
    await first.reached;
    bed.clock.advance(25 * HOUR_MS);
    await overage.charge();
    // The other's key is forgotten, too.
    bed.clock.advance(25 * HOUR_MS);
    first.letGo();
    await assert.rejects(charging, /no longer editable/);
    overage.assertOnce();
  });

  test("are sent once by each who looked for them: the SDK sends nothing anew that was cut off", async () => {
    const overage = await addOverage();
    const sent = () =>
      bed.fake.asked.filter(({ method, path }) => method === "POST" && path === "/v1/invoiceitems").length;
    const before = sent();
    bed.fake.fail(/^POST \/v1\/invoiceitems/, "drop");
    await assert.rejects(overage.charge(), /Stripe doesn't answer/);
    assert.equal(sent(), before + 1);
    bed.clock.advance(25 * HOUR_MS);
    await overage.charge();
    assert.equal(sent(), before + 1);
    overage.assertOnce();
  });
});
