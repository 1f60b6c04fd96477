/** What Stripe posts: who is believed, and that neither the order of events nor how often they come changes what becomes of them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import { liveEightEvents, permutation } from "../support/stripe/eight-events.ts";
import { FORMER_SECRET } from "../support/stripe/stripe-fake.ts";
import type { Json } from "../support/subscribers.ts";

const ORDERS = 24;
let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

function storedEvents(ids: readonly string[]): Promise<Json[]> {
  return bed.app.db.many<Json>(sql`
    select id, account_id, applied_at from billing_stripe_events where id = any(${[...ids]}::text[])`);
}

describe("what is posted", () => {
  const event = () =>
    bed.fake.event("invoice.paid", { id: "in_1", object: "invoice", customer: "cus_nobody" });

  test("is believed by either secret, and is stored once", async () => {
    const posted = event();
    for (const how of [{}, { secret: FORMER_SECRET }, { agoS: 299 }])
      assert.equal((await bed.post(posted, how)).status, 200);
    const [stored, ...more] = await storedEvents([posted["id"]]);
    assert.deepEqual([more.length, stored?.["account_id"]], [0, null]);
    assert.ok(stored?.["applied_at"], "a customer of nobody's is ignored");
  });

  test("is refused where it is forged, tampered with, old, or of the other mode, and nothing is stored", async () => {
    const posted = event();
    const payload = JSON.stringify(posted);
    const refusals: readonly [string, Promise<{ status: number; body: Json }>][] = [
      ["signature", bed.post(posted, { secret: "whsec_somebody_elses_secret" })],
      ["signature", bed.post(posted, { agoS: 301 })],
      ["signature", bed.post(posted, { body: payload.replace("in_1", "in_2") })],
      ["signature", bed.post(posted, { body: "" })],
      ["livemode", bed.post({ ...posted, livemode: true })],
      ["malformed", bed.post({ object: "event", livemode: false })],
    ];
    for (const [why, asked] of refusals) {
      const { status, body } = await asked;
      assert.deepEqual([status, body["code"], body["why"]], [400, "stripe_event_refused", why]);
    }
    const unsigned = await fetch(`${bed.app.baseUrl}/inbound/stripe`, { method: "POST", body: payload });
    assert.equal(unsigned.status, 400);
    assert.deepEqual(await storedEvents([posted["id"]]), []);
  });

  test("is refused where it is signed and yet no event, whatever its shape", async () => {
    const good = event();
    const shapes: readonly unknown[] = [
      null,
      [],
      [good],
      "text",
      7,
      true,
      {},
      { ...good, data: null },
      { ...good, data: [] },
      { ...good, data: {} },
      { ...good, data: { object: null } },
      { ...good, data: { object: [] } },
      { ...good, data: { object: "in_1" } },
      { ...good, id: 7 },
      { ...good, id: null },
      { ...good, id: { id: "evt_1" } },
      { ...good, id: "in_1" },
      { ...good, id: `evt_${"x".repeat(500_000)}` },
      { ...good, id: "evt_\u0000" },
      { ...good, type: ["invoice.paid"] },
      { ...good, type: "invoice.paid\u0000" },
      { ...good, object: "v2.core.event", data: undefined },
    ];
    for (const shape of shapes) {
      const refused = await bed.post(shape as Json);
      const what = `${JSON.stringify(shape).slice(0, 80)}: ${refused.text}`;
      assert.deepEqual(
        [refused.status, refused.body.code, refused.body.why],
        [400, "stripe_event_refused", "malformed"],
        what,
      );
    }
    for (const text of ["", "{", "nul", '{"a":', "\u0000", "[".repeat(50_000)]) {
      const refused = await bed.post(good, { raw: text });
      assert.equal(refused.status, 400, `${text.slice(0, 20)}: ${refused.text}`);
    }
  });

  test("is stored and ignored where what it names can't be anybody", async () => {
    const odd: readonly Json[] = [
      { id: 1e308, object: "invoice", customer: "cus_nobody" },
      { id: "sub_1", object: "customer", customer: {} },
      { id: { id: { id: "in_1" } }, object: ["invoice"], customer: ["cus_1"] },
      { id: "x".repeat(100_000), object: "invoice", customer: "y".repeat(100_000) },
      { id: "in_\u0000", object: "invoice", customer: "cus_\u0000" },
      { object: "invoice", customer: null, amount: -1e308 },
    ];
    for (const object of odd) {
      const posted: Json = { ...event(), data: { object } };
      const taken = await bed.post(posted);
      assert.equal(taken.status, 200, taken.text);
      const [stored] = await storedEvents([posted["id"]]);
      assert.equal(stored?.["account_id"], null);
    }
  });

  test("is refused where it is larger than a megabyte", async () => {
    const padded = (bytes: number) => ({ ...event(), padding: "x".repeat(bytes) });
    assert.equal((await bed.post(padded(990_000))).status, 200);
    const large = await bed.post(padded(1_000_000));
    assert.deepEqual([large.status, large.body.code], [413, "body_too_large"], large.text);
  });

  test("says what to look at, and is believed in nothing else", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const other = await bed.addPayer();
    const theirs = await other.buy(bed.plans.small);
    // It says that the plan ended, and that another's invoice is this customer's.
    await bed.post(bed.fake.event("customer.subscription.deleted", { ...subscription, status: "canceled" }));
    const invoice = bed.fake.get(theirs["latest_invoice"]) as Json;
    await bed.post(bed.fake.event("invoice.paid", { ...invoice, customer: subscription["customer"] }));
    await bed.caughtUp();
    assert.equal((await payer.billing())["payment"].status, "active");
    const numbers = (await payer.send("GET", "/invoices")).body.data.map(({ number }: Json) => number);
    assert.ok(!numbers.includes(invoice["number"]), numbers.join());
  });

  test("is looked at a minute later where the job that was to do so is gone", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    bed.fake.end(subscription["id"]);
    const posted = bed.fake.event("customer.subscription.deleted", subscription);
    await bed.app.db.execute(sql`
      insert into billing_stripe_events (id, type, customer_id, account_id, object_id, received_at)
      values (${posted["id"]}, ${posted["type"]}, ${subscription["customer"]}, ${payer.accountId}, ${subscription["id"]}, ${bed.clock.now()})`);
    bed.clock.advance(59_000);
    await bed.runJob("look_at_overlooked");
    assert.equal((await payer.billing())["payment"].status, "active");
    bed.clock.advance(2_000);
    await bed.runJob("look_at_overlooked");
    await bed.caughtUp();
    assert.equal((await payer.billing())["payment"].status, "canceled");
  });

  test("is answered by further looks where it is more than one answers", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    await bed.app.db.execute(sql`
      insert into billing_stripe_events (id, type, customer_id, account_id, object_id, received_at)
      select 'evt_many_' || n, 'customer.subscription.updated', ${subscription["customer"]}, ${payer.accountId}, ${subscription["id"]},
        ${bed.clock.now()} from generate_series(1, 1_100) as n`);
    await bed.post(bed.fake.event("customer.subscription.updated", subscription));
    await bed.caughtUp();
  });

  test("waits while Stripe is away, and is looked at later", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    bed.fake.end(subscription["id"]);
    bed.fake.fail(/^GET \/v1\/subscriptions/, "error", 1);
    await bed.post(bed.fake.event("customer.subscription.deleted", subscription));
    await bed.caughtUp();
    const { subscription: plan, payment } = await payer.billing();
    assert.deepEqual([plan.ends_at, payment.status], [bed.endOfHour(), "canceled"]);
  });
});

/** What an account has in the end, without ids and times of its own. */
async function stateOf(payer: Awaited<ReturnType<StripeBed["addPayer"]>>): Promise<Json> {
  const { subscription, payment } = await payer.billing();
  const { body } = await payer.send("GET", "/invoices");
  const { body: account } = await bed.app.api("GET", "/v1/account", { key: payer.key });
  const { id: _id, created_at: _made, updated_at: _changed, ...plan } = subscription;
  const invoices = body.data.map(({ status, total }: Json) => `${status} ${total}`).sort();
  return { plan, payment, invoices, holds: account.holds };
}

describe("eight events, each twice", () => {
  test(`give one state in ${ORDERS} orders spread over all 40,320, posted when all of it has happened`, async () => {
    const states = new Set<string>();
    for (let order = 0; order < ORDERS; order++) {
      const payer = await bed.addPayer();
      const events: Json[] = [];
      await liveEightEvents(bed, payer, async (event) => void events.push(event));
      const once = permutation(Math.floor((order * 40_320) / ORDERS) + order, events.length);
      const again = permutation(40_319 - order * 991, events.length);
      for (const at of [...once, ...again]) assert.equal((await bed.post(events[at] as Json)).status, 200);
      await bed.caughtUp();
      states.add(JSON.stringify(await stateOf(payer)));
    }
    assert.equal(states.size, 1, [...states].join("\n"));
    const [state = ""] = states;
    const { payment, invoices } = JSON.parse(state);
    assert.equal(payment.status, "active");
    assert.deepEqual(invoices, ["paid 29.00", "paid 29.00", "paid 29.00"]);
  });

  test("give the same state whichever of them come when they happen, and whichever at the end, the last first", async () => {
    const states = new Set<string>();
    for (let late = 0; late < 256; late += 15) {
      const payer = await bed.addPayer();
      const kept: Json[] = [];
      let at = 0;
      await liveEightEvents(bed, payer, async (event) => {
        const isLate = (late >> at++) % 2 === 1;
        kept.unshift(event);
        if (isLate) return;
        await bed.post(event);
        await bed.caughtUp();
      });
      for (const event of kept) await bed.post(event);
      await bed.caughtUp();
      states.add(JSON.stringify(await stateOf(payer)));
    }
    assert.equal(states.size, 1, [...states].join("\n"));
  });
});
