/** A Stripe that answers wrongly, slowly, by halves or not at all: nothing that was known is lost by it, and nobody is charged twice. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import type { Json } from "../support/subscribers.ts";

let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

const EMPTY = { object: "list", data: [], has_more: false };
const LIST = /^GET \/v1\/subscriptions/;
const SUBSCRIPTION = { id: "sub_1", status: "active", items: {} };
const ITEM = { id: "si_1", current_period_end: 2_000_000_000, price: { id: "price_small" } };
const TIMES = { created: 1, start_date: 1, billing_cycle_anchor: 1, cancel_at: null, ended_at: null };
const WHOLE = { ...SUBSCRIPTION, ...TIMES, items: { data: [ITEM] } };
const INVOICE = { id: "in_1", object: "invoice", status: "open", currency: "eur" };
const of = (one: unknown) => ({ ...EMPTY, data: [one] });

describe("an answer that can't be true", () => {
  for (const [what, path, lie] of [
    ["no object", LIST, null],
    ["a list without data", LIST, { object: "list" }],
    ["data that is no list", LIST, { object: "list", data: {} }],
    ["a subscription without items", LIST, of(SUBSCRIPTION)],
    ["a subscription without times", LIST, of({ ...SUBSCRIPTION, items: { data: [ITEM] } })],
    ["a subscription since the year 300000", LIST, of({ ...WHOLE, start_date: 1e13 })],
    ["a subscription without a status", LIST, of({ ...WHOLE, status: null })],
    [
      "a subscription with a price that is a number",
      LIST,
      of({ ...WHOLE, items: { data: [{ ...ITEM, price: { id: 5 } }] } }),
    ],
    ["a customer that is null", /^GET \/v1\/customers/, null],
    [
      "an invoice with amounts of words",
      /^GET \/v1\/invoices\?|^GET \/v1\/invoices$/,
      of({ ...INVOICE, total: "many" }),
    ],
    [
      "an invoice of the year 300000",
      /^GET \/v1\/invoices$/,
      of({ ...INVOICE, total: 1, amount_due: 1, amount_paid: 0, created: 1e13 }),
    ],
    ["an invoice without a currency", /^GET \/v1\/invoices$/, of({ ...INVOICE, currency: null })],
  ] as const)
    test(`${what} is 503 to whoever waits, changes nothing, and is asked again`, async () => {
      const payer = await bed.addPayer();
      const subscription = await payer.buy(bed.plans.small);
      bed.fake.fail(path, "lie", 1, lie);
      const asked = await payer.send("POST", "/cancel", { at: "period_end" });
      assert.deepEqual([asked.status, asked.body.code], [503, "payments_unreachable"], asked.text);
      assert.equal((await payer.billing())["subscription"].plan_id, bed.plans.small["id"]);
      assert.equal((await payer.billing())["payment"].status, "active");
      await bed.post(bed.fake.event("customer.subscription.updated", subscription));
      await bed.caughtUp();
      assert.notEqual((await payer.billing())["payment"].cancels_at, null);
    });

  test("a page that is no safe address leads nobody anywhere", async () => {
    const paying = await bed.addPayer();
    await paying.buy(bed.plans.small);
    for (const url of [
      null,
      "",
      "javascript:alert(1)",
      "http://billing.stripe.com/p",
      "https://",
      { url: "https://x" },
    ]) {
      bed.fake.fail(/^POST \/v1\/billing_portal/, "lie", 1, { id: 5, url });
      const portal = await paying.send("POST", "/portal");
      assert.deepEqual([portal.status, portal.body.code], [503, "payments_unreachable"], portal.text);
      const payer = await bed.addPayer();
      bed.fake.fail(/^POST \/v1\/checkout/, "lie", 1, { id: "cs_1", object: "checkout.session", url });
      const opened = await payer.send("POST", "/checkout", { plan_id: bed.plans.small["id"] });
      assert.deepEqual([opened.status, opened.body.code], [503, "payments_unreachable"], opened.text);
    }
  });
});

describe("an invoice", () => {
  test("is shown without an address that isn't safe", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const invoice = bed.fake.get(subscription["latest_invoice"]) as Json;
    Object.assign(invoice, {
      hosted_invoice_url: "javascript:alert(1)",
      invoice_pdf: "http://x.example/pdf",
    });
    await bed.post(bed.fake.event("invoice.paid", invoice));
    await bed.caughtUp();
    const { data } = (await payer.send("GET", "/invoices")).body;
    assert.deepEqual([data.length, data[0].hosted_invoice_url, data[0].invoice_pdf], [1, null, null]);
  });
});

describe("an answer to who changes a plan", () => {
  for (const [what, lie] of [
    ["that has nothing in it", {}],
    ["that is of another", { ...WHOLE, id: "sub_other" }],
    ["without an anchor", { ...WHOLE, billing_cycle_anchor: null }],
    ["whose price is a number", { ...WHOLE, items: { data: [{ ...ITEM, price: { id: 5 } }] } }],
  ] as const)
    test(`${what} is 503, and nothing is asked for`, async () => {
      const payer = await bed.addPayer();
      const { id } = await payer.buy(bed.plans.small);
      const [before] = bed.fake.asked.slice(-1);
      bed.fake.fail(/^GET \/v1\/subscriptions\/\w/, "lie", 1, { id, ...lie });
      const changed = await payer.send("POST", "/change", { plan_id: bed.plans.large["id"] });
      assert.deepEqual([changed.status, changed.body.code], [503, "payments_unreachable"], changed.text);
      const since = bed.fake.asked.slice(
        bed.fake.asked.indexOf(before as (typeof bed.fake.asked)[number]) + 1,
      );
      assert.deepEqual(
        since.filter(({ method }) => method !== "GET"),
        [],
      );
    });

  test("who is a new customer without an id is 503, and the same request then makes one", async () => {
    for (const id of [undefined, 5, null, "", "cus_\u0000"]) {
      const payer = await bed.addPayer();
      bed.fake.fail(/^POST \/v1\/customers/, "lie", 1, { id, object: "customer" });
      const opened = await payer.send("POST", "/checkout", { plan_id: bed.plans.small["id"] });
      assert.deepEqual([opened.status, opened.body.code], [503, "payments_unreachable"], opened.text);
      await payer.buy(bed.plans.small);
    }
  });
});

describe("an answer that doesn't come whole", () => {
  for (const kind of ["limit", "error", "cut"] as const)
    test(`(${kind}) of each call is 503, and the same request then makes one purchase and one change`, async () => {
      for (const path of [/^POST \/v1\/customers/, /^POST \/v1\/checkout/]) {
        const payer = await bed.addPayer();
        const body = { plan_id: bed.plans.small["id"] };
        bed.fake.fail(path, kind, kind === "cut" ? 2 : 1);
        const away = await payer.send("POST", "/checkout", body);
        assert.equal(away.status, 503, away.text);
        bed.fake.calm();
        await payer.buy(bed.plans.small);
        const mine = bed.fake
          .all("customer")
          .filter(({ metadata }) => metadata.account_id === payer.publicId);
        assert.equal(mine.length, 1);
        assert.equal(bed.fake.all("checkout.session", mine[0]?.["id"]).length, 1);
      }
      for (const path of [
        /^GET \/v1\/subscriptions\/\w/,
        /^POST \/v1\/subscriptions/,
        /^GET \/v1\/invoices/,
      ]) {
        const payer = await bed.addPayer();
        const subscription = await payer.buy(bed.plans.small);
        bed.clock.step(3_600_000);
        const before = bed.fake.all("invoice", subscription["customer"]).length;
        bed.fake.fail(path, kind, kind === "cut" ? 2 : 1);
        const away = await payer.send("POST", "/change", { plan_id: bed.plans.large["id"] });
        assert.equal(away.status, 503, away.text);
        bed.fake.calm();
        const changed = await payer.send("POST", "/change", { plan_id: bed.plans.large["id"] });
        assert.equal(changed.status, 200, changed.text);
        assert.equal(bed.fake.all("invoice", subscription["customer"]).length, before + 1);
        assert.equal(changed.body.subscription.plan_id, (bed.plans.large as Json)["id"]);
      }
    });
});
