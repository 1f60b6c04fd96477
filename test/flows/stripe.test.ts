/** Charging by Stripe: plans are bought, changed and canceled on its pages, and what it then has is what an account has here. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApp } from "../support/app.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import { STRIPE_KEY } from "../support/stripe/stripe-fake.ts";
import type { Json } from "../support/subscribers.ts";

const NOBODY = "01k9zq4t3xe8k8y0v6d3m2n1pq";
let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

const codesOf = ({ body }: { body: Json }) =>
  body["errors"]?.map((one: Json) => `${one["pointer"]} ${one["code"]}`);

describe("without Stripe", () => {
  test("nothing can be bought, it is said what to set, and the SDK isn't loaded", async () => {
    const app = await createApp();
    try {
      for (const [path, body] of [
        ["checkout", { plan_id: `pln_${NOBODY}` }],
        ["portal", {}],
        ["change", { plan_id: `pln_${NOBODY}` }],
        ["cancel", { at: "now" }],
      ] as const) {
        const refused = await app.api("POST", `/v1/billing/${path}`, { body });
        assert.deepEqual([refused.status, refused.body.code], [409, "payments_unavailable"], refused.text);
        assert.match(refused.body.detail, /STRIPE_SECRET_KEY/);
      }
      assert.equal((await app.api("GET", "/v1/billing")).body.payment, null);
      assert.deepEqual((await app.api("GET", "/v1/billing/invoices")).body.data, []);
      assert.deepEqual((await app.api("GET", "/v1/billing/plans")).body.data, []);
      const posted = await fetch(`${app.baseUrl}/inbound/stripe`, { method: "POST", body: "{}" });
      assert.equal(posted.status, 404);
    } finally {
      await app.stop();
    }
  });
});

describe("a plan", () => {
  test("has a price at Stripe that no other plan has", async () => {
    const { app, operator, plans } = bed;
    assert.equal(plans.small["stripe_price_id"], "price_small");
    const body = { name: "Twin", price: "29.00", currency: "EUR", stripe_price_id: "price_small" };
    const twin = await app.api("POST", "/v1/instance/plans", { key: operator, body });
    assert.deepEqual([twin.status, codesOf(twin)], [422, ["/stripe_price_id taken"]], twin.text);
    const given = await app.api("PATCH", `/v1/instance/plans/${plans.given["id"]}`, {
      key: operator,
      body: { stripe_price_id: "prod_1" },
    });
    assert.equal(given.status, 422, given.text);
  });

  test("is charged at Stripe what it says here, or it gets no such price", async () => {
    const { app, operator, fake } = bed;
    const archived = fake.addPrice(2_900);
    fake.archivePrice(archived);
    const right = fake.addPrice(2_900);
    const send = (method: string, path: string, body: Json) =>
      app.api(method, `/v1/instance/plans${path}`, { key: operator, body });
    const terms = { name: "Checked", price: "29.00", currency: "EUR" };
    const plan = await send("POST", "", terms);
    for (const [code, stripe_price_id] of [
      ["unknown_at_stripe", "price_nobody_knows"],
      ["archived_at_stripe", archived],
      ["amount_differs", fake.addPrice(290)],
      ["currency_differs", fake.addPrice(2_900, { currency: "usd" })],
      ["interval_differs", fake.addPrice(2_900, { interval: "year" })],
      ["interval_differs", fake.addPrice(2_900, { recurring: { interval_count: 3 } })],
      ["interval_differs", fake.addPrice(2_900, { recurring: { usage_type: "metered" } })],
    ] as const)
      for (const answer of [
        await send("POST", "", { ...terms, stripe_price_id }),
        await send("PATCH", `/${plan.body.id}`, { stripe_price_id }),
      ])
        assert.deepEqual([answer.status, codesOf(answer)], [422, [`/stripe_price_id ${code}`]], answer.text);
    const priced = await send("PATCH", `/${plan.body.id}`, { stripe_price_id: right });
    assert.deepEqual([priced.status, priced.body.stripe_price_id], [200, right], priced.text);
    const dearer = await send("PATCH", `/${plan.body.id}`, { price: "35.00" });
    assert.deepEqual(
      [dearer.status, codesOf(dearer)],
      [422, ["/stripe_price_id amount_differs"]],
      dearer.text,
    );
    const both = { price: "35.00", stripe_price_id: fake.addPrice(3_500) };
    assert.equal((await send("PATCH", `/${plan.body.id}`, both)).status, 200);
    const yen = {
      name: "Yen",
      price: "500",
      currency: "JPY",
      stripe_price_id: fake.addPrice(500, { currency: "jpy" }),
    };
    assert.equal((await send("POST", "", yen)).status, 201);
  });

  test("is given a price only while Stripe answers, and changed otherwise without asking", async () => {
    const { app, operator, fake, plans } = bed;
    const path = `/v1/instance/plans/${plans.large["id"]}`;
    fake.fail(/^GET \/v1\/prices/, "error", 2);
    const change = (body: Json) => app.api("PATCH", path, { key: operator, body });
    const away = await change({ stripe_price_id: fake.addPrice(9_900) });
    assert.deepEqual([away.status, away.body.code], [503, "payments_unreachable"], away.text);
    fake.archivePrice("price_large");
    const named = await change({ name: "Large", price: "99.00", stripe_price_id: "price_large" });
    assert.equal(named.status, 200, named.text);
    fake.calm();
    fake.fail(/^GET \/v1\/prices/, "lie", 1, { id: "price_other", object: "price" });
    assert.equal((await change({ stripe_price_id: fake.addPrice(9_900) })).status, 503);
    fake.archivePrice("price_large", false);
  });

  test("is listed for accounts where it is sold, without what is the operator's", async () => {
    const payer = await bed.addPayer();
    const listed = await payer.send("GET", "/plans");
    assert.equal(listed.status, 200, listed.text);
    const names: string[] = listed.body.data.map(({ name }: Json) => name);
    const { small, large, trial, given } = bed.plans;
    for (const plan of [small, large, trial]) assert.ok(names.includes(plan["name"]), plan["name"]);
    assert.ok(!names.includes(given["name"]));
    assert.doesNotMatch(listed.text, /price_|subscriptions/);
  });

  test("is bought on a page of Stripe's, which is the same when it is asked for again", async () => {
    const payer = await bed.addPayer();
    const { fake, plans } = bed;
    const none = {
      provider: "stripe",
      status: "none",
      past_due_since: null,
      campaigns_stop_at: null,
      transactional_stops_at: null,
      grace_until: null,
      cancels_at: null,
    };
    assert.deepEqual((await payer.billing())["payment"], none);
    const [one, other] = [
      await payer.send("POST", "/checkout", { plan_id: plans.small["id"] }),
      await payer.send("POST", "/checkout", { plan_id: plans.small["id"] }),
    ];
    assert.equal(one.status, 200, one.text);
    assert.deepEqual(one.body, other.body);
    const mine = fake.all("customer").filter(({ metadata }) => metadata.account_id === payer.publicId);
    assert.equal(mine.length, 1);
    const [session] = fake.all("checkout.session", mine[0]?.["id"]);
    assert.equal(session?.["success_url"], `${bed.app.baseUrl}/settings/billing?checkout=done`);
    assert.deepEqual(session?.["line_items"], [{ price: "price_small", quantity: "1" }]);

    const subscription = await payer.buy(plans.small);
    const { subscription: plan, payment } = await payer.billing();
    assert.deepEqual(payment, { ...none, status: "active" });
    assert.deepEqual([plan.plan_id, plan.state, plan.terms.name], [plans.small["id"], "active", "Small"]);
    assert.equal(plan.time_zone, "UTC");
    assert.equal(new Date(plan.anchor).getTime(), hourOf(subscription["billing_cycle_anchor"] * 1_000));
    const again = await payer.send("POST", "/checkout", { plan_id: plans.large["id"] });
    assert.deepEqual([again.status, again.body.code], [409, "already_subscribed"], again.text);
  });

  test("that was paid a moment ago, of which Stripe has told nothing yet, isn't sold again", async () => {
    const { fake, plans } = bed;
    const payer = await bed.addPayer();
    const opened = await payer.send("POST", "/checkout", { plan_id: plans.small["id"] });
    const session = fake.all("checkout.session").find(({ url }) => url === opened.body.url);
    fake.pay(session?.["id"]);
    assert.equal((await payer.billing())["payment"].status, "none");
    const again = await payer.send("POST", "/checkout", { plan_id: plans.small["id"] });
    assert.deepEqual([again.status, again.body.code], [409, "already_subscribed"], again.text);
    // The look that refused it was also the one that let the plan begin.
    const { subscription, payment } = await payer.billing();
    assert.deepEqual([subscription.plan_id, payment.status], [plans.small["id"], "active"]);
  });

  test("that ended may be bought anew, also where two ended before", async () => {
    const { fake, plans } = bed;
    const payer = await bed.addPayer();
    for (const plan of [plans.small, plans.large]) {
      const subscription = await payer.buy(plan);
      fake.end(subscription["id"]);
      await bed.post(fake.event("customer.subscription.deleted", subscription));
      await bed.caughtUp();
      assert.equal((await payer.billing())["payment"].status, "canceled");
    }
    await payer.buy(plans.small);
    assert.equal((await payer.billing())["payment"].status, "active");
  });

  test("begins with its trial where it is the account's first", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.trial);
    assert.equal(subscription["status"], "trialing");
    const { subscription: plan, payment } = await payer.billing();
    assert.deepEqual([plan.state, payment.status], ["trialing", "active"]);
    assert.equal(Date.parse(plan.anchor), hourOf(subscription["billing_cycle_anchor"] * 1_000));
  });

  test("that was bought takes the place of one that an operator gave, without gap or overlap", async () => {
    const payer = await bed.addPayer();
    const path = `/v1/instance/accounts/${payer.publicId}/subscription`;
    const body = { plan_id: bed.plans.given["id"] };
    assert.equal((await bed.app.api("PUT", path, { key: bed.operator, body })).status, 200);
    await payer.buy(bed.plans.small);
    assert.equal((await payer.billing())["subscription"].plan_id, bed.plans.small["id"]);
  });

  test("that is unknown, archived or not sold isn't bought", async () => {
    const payer = await bed.addPayer();
    const { app, operator, makePlan, plans } = bed;
    const unknown = await payer.send("POST", "/checkout", { plan_id: `pln_${NOBODY}` });
    assert.deepEqual([unknown.status, codesOf(unknown)], [422, ["/plan_id not_found"]], unknown.text);
    const given = await payer.send("POST", "/checkout", { plan_id: plans.given["id"] });
    assert.deepEqual([given.status, given.body.code], [409, "plan_not_sold"], given.text);
    const old = await makePlan("Old", "1.00", bed.fake.addPrice(100));
    await app.api("POST", `/v1/instance/plans/${old["id"]}/archive`, { key: operator });
    const archived = await payer.send("POST", "/checkout", { plan_id: old["id"] });
    assert.deepEqual([archived.status, archived.body.code], [409, "plan_archived"], archived.text);
    const gone = await makePlan("Gone", "1.00", bed.fake.addPrice(100));
    bed.fake.archivePrice(gone["stripe_price_id"]);
    const refused = await payer.send("POST", "/checkout", { plan_id: gone["id"] });
    assert.deepEqual([refused.status, refused.body.code], [409, "payment_refused"], refused.text);
    assert.match(refused.body.detail, /only accepts active prices/);
  });

  test("leads back to this service alone", async () => {
    const payer = await bed.addPayer();
    const plan_id = bed.plans.small["id"];
    for (const url of [
      "https://evil.example/",
      `${bed.app.baseUrl}@evil.example/`,
      "javascript:alert(1)",
      "/billing",
    ]) {
      const refused = await payer.send("POST", "/checkout", { plan_id, success_url: url, cancel_url: url });
      assert.deepEqual(
        [refused.status, codesOf(refused)],
        [422, ["/success_url url_not_allowed", "/cancel_url url_not_allowed"]],
        refused.text,
      );
    }
    const own = `${bed.app.baseUrl}/settings/billing?plan=1`;
    assert.equal((await payer.send("POST", "/checkout", { plan_id, success_url: own })).status, 200);
    const portal = await payer.send("POST", "/portal", { return_url: "https://evil.example/" });
    assert.equal(portal.status, 422, portal.text);
  });
});

describe("who pays", () => {
  test("comes to the portal, and who never bought anything doesn't", async () => {
    const payer = await bed.addPayer();
    const nothing = await payer.send("POST", "/portal");
    assert.deepEqual([nothing.status, nothing.body.code], [409, "not_subscribed"], nothing.text);
    await payer.buy(bed.plans.small);
    const opened = await payer.send("POST", "/portal");
    assert.equal(opened.status, 200, opened.text);
    assert.match(opened.body.url, /^https:\/\/billing\.stripe\.com\//);
  });

  test("takes another plan, and who pays for none doesn't", async () => {
    const payer = await bed.addPayer();
    const { plans } = bed;
    const nothing = await payer.send("POST", "/change", { plan_id: plans.large["id"] });
    assert.deepEqual([nothing.status, nothing.body.code], [409, "not_subscribed"], nothing.text);
    await payer.buy(plans.small);
    const before = (await payer.billing())["subscription"];
    bed.clock.advance(3_600_000);
    const yearly = await payer.send("POST", "/change", { plan_id: plans.yearly["id"] });
    assert.equal(yearly.body.subscription.plan_id, plans.yearly["id"], yearly.text);
    assert.notEqual(yearly.body.subscription.id, before.id);
    assert.equal(Date.parse(yearly.body.subscription.anchor), hourOf(bed.clock.now().getTime()));
  });

  test("cancels at the end of the period, takes that back, and cancels at once", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    const canceled = await payer.send("POST", "/cancel", { at: "period_end" });
    assert.equal(canceled.status, 200, canceled.text);
    const end = new Date(subscription["items"].data[0].current_period_end * 1_000).toISOString();
    assert.deepEqual([canceled.body.payment.status, canceled.body.payment.cancels_at], ["active", end]);
    const kept = await payer.send("POST", "/change", { plan_id: bed.plans.small["id"] });
    assert.equal(kept.body.payment.cancels_at, null, kept.text);
    const ended = await payer.send("POST", "/cancel", { at: "now" });
    const { subscription: ending, payment } = ended.body;
    assert.deepEqual([ending.ends_at, payment.status], [bed.endOfHour(), "canceled"], ended.text);
    const twice = await payer.send("POST", "/cancel", { at: "now" });
    assert.deepEqual([twice.status, twice.body.code], [409, "not_subscribed"], twice.text);
    // Who has canceled may buy again on the same day.
    await payer.buy(bed.plans.small);
    assert.equal((await payer.billing())["payment"].status, "active");
  });

  test("has invoices by pages, as Stripe has them, and sees none of others", async () => {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    for (let at = 0; at < 4; at++) {
      bed.clock.advance(60_000);
      await bed.post(bed.fake.event("invoice.paid", bed.fake.renew(subscription["id"], "paid")));
    }
    await bed.caughtUp();
    const first = await payer.send("GET", "/invoices?limit=3&include_total=true");
    // The one of the purchase was never told of; the daily look may have found it already.
    assert.ok([4, 5].includes(first.body.total), first.text);
    assert.deepEqual([first.body.data.length, first.body.has_more], [3, true], first.text);
    const rest = await payer.send(
      "GET",
      `/invoices?limit=3&cursor=${first.body.next_cursor}&include_total=true`,
    );
    assert.equal(rest.body.data.length, rest.body.total - 3);
    const [invoice] = first.body.data;
    assert.deepEqual([invoice.total, invoice.currency, invoice.status], ["29.00", "EUR", "paid"]);
    assert.match(invoice.hosted_invoice_url, /^https:\/\/invoice\.stripe\.com\//);
    const other = await bed.addPayer();
    assert.deepEqual((await other.send("GET", "/invoices")).body.data, []);
    // The daily look finds it at the latest.
    await bed.runJob("reconcile_with_stripe");
    await bed.caughtUp();
    assert.equal((await payer.send("GET", "/invoices?include_total=true")).body.total, 5);
  });

  for (const path of ["/checkout", "/portal", "/change", "/cancel"])
    test(`asks Stripe once for ${path} under one key, repeated and at once`, async () => {
      const payer = await bed.addPayer();
      const { small, large } = bed.plans;
      if (path !== "/checkout") await payer.buy(small);
      const bodies: Record<string, Json> = {
        "/checkout": { plan_id: small["id"] },
        "/portal": {},
        "/change": { plan_id: large["id"] },
        "/cancel": { at: "period_end" },
      };
      const writes = () => bed.fake.asked.filter(({ method }) => method !== "GET").length;
      const send = () => payer.send("POST", path, bodies[path], { "idempotency-key": `once ${path}` });
      const isReplay = ({ headers }: { headers: Headers }) => headers.get("idempotency-replayed") === "true";
      const replies = await Promise.all(Array.from({ length: 5 }, send));
      const done = replies.filter(({ status }) => status < 300);
      assert.equal(done.filter((one) => !isReplay(one)).length, 1, replies.map(({ text }) => text).join());
      for (const { status, text } of replies) assert.ok(status === 200 || status === 409, text);
      const before = writes();
      const again = await send();
      assert.deepEqual([again.status, isReplay(again)], [200, true], again.text);
      assert.equal(writes(), before);
    });

  test("needs the scope to do it", async () => {
    const key = await bed.app.addKey(["billing:read"]);
    for (const path of ["checkout", "portal", "change", "cancel"]) {
      const refused = await bed.app.api("POST", `/v1/billing/${path}`, { key, body: {} });
      assert.equal(refused.status, 403, refused.text);
    }
  });
});

describe("a page to pay", () => {
  const payable = (payer: { readonly publicId: string }) =>
    bed.fake
      .all("checkout.session")
      .filter((one) => one["client_reference_id"] === payer.publicId && one["status"] === "open");
  const open = async (payer: Awaited<ReturnType<StripeBed["addPayer"]>>, plan: Json): Promise<string> => {
    const opened = await payer.send("POST", "/checkout", { plan_id: plan["id"] });
    assert.equal(opened.status, 200, opened.text);
    return opened.body.url;
  };

  test("is the only one: those that were opened before can't be paid at any more", async () => {
    const payer = await bed.addPayer();
    const { small, large } = bed.plans;
    const urls: string[] = [];
    for (const plan of [small, large, small, large, large]) {
      urls.push(await open(payer, plan));
      assert.deepEqual(
        payable(payer).map(({ url }) => url),
        [urls.at(-1)],
      );
    }
    assert.equal(new Set(urls).size, 4);
    bed.clock.step(24 * 3_600_000);
    const tomorrow = await open(payer, large);
    assert.deepEqual(
      payable(payer).map(({ url }) => url),
      [tomorrow],
    );
  });

  test("is the only one where two are opened at once", async () => {
    const payer = await bed.addPayer();
    await open(payer, bed.plans.trial);
    await Promise.all([
      open(payer, bed.plans.small),
      open(payer, bed.plans.large),
      open(payer, bed.plans.medium),
    ]);
    assert.equal(payable(payer).length, 1);
  });

  test("is opened also where an earlier one can't be closed, and the log says so", async () => {
    const payer = await bed.addPayer();
    await open(payer, bed.plans.small);
    bed.fake.fail(/^POST .*\/expire$/, "error");
    await open(payer, bed.plans.large);
    assert.equal(payable(payer).length, 2);
    assert.ok(bed.app.logs.some((line) => line.includes("an earlier page to pay stays open")));
    await open(payer, bed.plans.large);
    assert.equal(payable(payer).length, 1);
  });
});

describe("while Stripe is away", () => {
  test("it is said so and what to do, and what it did all the same isn't done twice", async () => {
    const payer = await bed.addPayer();
    const { fake, plans } = bed;
    const headers = { "idempotency-key": "one" };
    for (const kind of ["error", "drop"] as const) {
      // The SDK tries once more by itself where a connection was cut.
      fake.fail(/^POST \/v1\/checkout/, kind, kind === "drop" ? 2 : 1);
      const away = await payer.send("POST", "/checkout", { plan_id: plans.small["id"] }, headers);
      assert.deepEqual([away.status, away.body.code], [503, "payments_unreachable"], away.text);
      assert.equal(away.headers.get("retry-after"), "30");
    }
    const opened = await payer.send("POST", "/checkout", { plan_id: plans.small["id"] }, headers);
    assert.equal(opened.status, 200, opened.text);
    const customer = fake.all("customer").find(({ metadata }) => metadata.account_id === payer.publicId);
    assert.equal(fake.all("checkout.session", customer?.["id"]).length, 1);
  });

  test("a question that nobody answers ends after some seconds", async () => {
    const payer = await bed.addPayer();
    bed.fake.fail(/^POST \/v1\/customers/, "hang");
    const away = await payer.send("POST", "/checkout", { plan_id: bed.plans.small["id"] });
    assert.deepEqual([away.status, away.body.code], [503, "payments_unreachable"], away.text);
  });

  test("neither the log nor an answer holds a secret", () => {
    const all = bed.app.logs.join("\n");
    assert.ok(!all.includes(STRIPE_KEY) && !all.includes("whsec_"));
  });
});

function hourOf(ms: number): number {
  return Math.floor(ms / 3_600_000) * 3_600_000;
}
