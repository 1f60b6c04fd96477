/** What every page says while mails of the plan run out or a payment is overdue, and what is offered where they don't suffice for a campaign. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { lookAt } from "../support/page-pictures.ts";
import { addSubscriber, type Json, makeList } from "../support/subscribers.ts";

const RESETS = "2026-12-01T00:00:00.000Z";
const ALLOWANCE = {
  ...{ limit: 50_000, used: 0, reserved: 0, left: 50_000, transactional_reserve: 0, resets_at: RESETS },
  ...{ daily: null, spending: null, at_limit: "stop" },
};

describe("lines about billing in the dashboard, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/lists");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  /** The answer of the service, with what it says where the account has such limits. */
  async function open(more: Json): Promise<void> {
    await page.unroute("**/v1/billing");
    await page.route("**/v1/billing", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), ...more } });
    });
    await page.goto(`${dashboard.app.baseUrl}/lists`);
    await page.getByRole("heading", { name: "Lists", level: 1 }).waitFor();
  }
  const allowed = (more: Json) => open({ allowance: { ...ALLOWANCE, ...more } });

  test("nothing is said below 80%, then how much is used, and what happens when all is", async () => {
    await allowed({ used: 39_999, left: 10_001 });
    assert.equal(await page.locator(".note.line").count(), 0);
    await allowed({ used: 40_000, left: 10_000 });
    await page.getByText("80% of the mails of this period are used.").waitFor();
    await page.getByText("10,000 of 50,000 are left until").waitFor();
    await allowed({ used: 46_000, left: 4_000, at_limit: "overage" });
    await page.getByText("90% of the mails of this period are used.").waitFor();
    await page.getByText(/what is sent beyond them is charged/).waitFor();
    await lookAt(page, "line-near");
    await allowed({ used: 50_000, left: 0 });
    await page.locator(".note.danger.line").getByText("All 50,000 mails of this period are used.").waitFor();
    await lookAt(page, "line-gone");
    await page.getByRole("link", { name: "See usage" }).click();
    await page.getByText(/^None is left until/).waitFor();
  });

  test("a day that is used up and an overdue payment are told", async () => {
    await open({
      allowance: { ...ALLOWANCE, daily: { limit: 500, used: 500, resets_at: RESETS } },
      payment: {
        ...{ provider: "stripe", status: "past_due", past_due_since: "2026-11-16T09:00:00.000Z" },
        ...{ campaigns_stop_at: "2026-11-23T09:00:00.000Z", cancels_at: null },
        transactional_stops_at: "2026-11-30T09:00:00.000Z",
      },
    });
    await page.getByText("All 500 mails of this day are sent.").waitFor();
    await page.getByText("A payment is overdue since 16 Nov 2026.").waitFor();
    await page.getByText("Campaigns and automations stop on 23 Nov 2026").waitFor();
    await lookAt(page, "line-overdue");
  });

  test("how the account pays and its invoices are shown where it pays by Stripe, and a plan is cancelled", async () => {
    const bodies: Json[] = [];
    const payment = { provider: "stripe", status: "active", cancels_at: null };
    const never = { past_due_since: null, campaigns_stop_at: null, transactional_stops_at: null };
    const money = { currency: "EUR", total: "34.51", amount_due: "34.51", amount_paid: "34.51" };
    const made = { created_at: "2026-11-01T09:00:00.000Z", updated_at: "2026-11-01T09:00:00.000Z" };
    const invoice = {
      ...{ object: "invoice", id: "ivc_1", number: "F-0007", status: "paid", ...money, ...made },
      ...{ period: { from: made.created_at, to: RESETS }, hosted_invoice_url: "https://pay.example/7" },
      invoice_pdf: "https://pay.example/7.pdf",
    };
    await open({});
    await page.goto(`${dashboard.app.baseUrl}/settings/billing`);
    await page.getByRole("heading", { name: "This account has no plan" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Payment" }).count(), 0);
    await open({ payment: { ...payment, ...never } });
    await page.route("**/v1/billing/invoices*", (route) =>
      route.fulfill({ json: { object: "list", data: [invoice], has_more: false, next_cursor: null } }),
    );
    await page.route("**/v1/billing/cancel", (route) => {
      bodies.push(route.request().postDataJSON());
      return route.fulfill({ json: {} });
    });
    await page.goto(`${dashboard.app.baseUrl}/settings/billing`);
    await page.getByText("Paid by Stripe.").waitFor();
    await page.getByRole("row").filter({ hasText: "F-0007" }).getByText("€34.51").waitFor();
    await lookAt(page, "payment");
    await press(page, "Cancel the plan");
    await lookAt(page, "payment-cancel");
    await page.locator(".dialog-f .btn-primary").click();
    await page.locator(".dialog").waitFor({ state: "detached" });
    assert.deepEqual(bodies, [{ at: "period_end" }]);
  });

  test("who may not see what is paid sees how many mails are left", async () => {
    await page.route("**/v1/session", async (route) => {
      const response = await route.fetch();
      const session = await response.json();
      const scopes = ["account:read", "lists:read", "subscribers:read", "campaigns:read", "usage:read"];
      await route.fulfill({ response, json: { ...session, scopes } });
    });
    const { spending: _, ...quota } = ALLOWANCE;
    await page.route("**/v1/usage?*", async (route) => {
      const response = await route.fetch();
      const allowance = { ...quota, used: 46_000, left: 4_000 };
      await route.fulfill({ response, json: { ...(await response.json()), allowance } });
    });
    await page.route(/\/v1\/usage$/, async (route) => {
      const response = await route.fetch();
      const allowance = { ...quota, used: 46_000, left: 4_000 };
      await route.fulfill({ response, json: { ...(await response.json()), allowance } });
    });
    await page.goto(`${dashboard.app.baseUrl}/settings/usage`);
    await page.getByText("90% of the mails of this period are used.").waitFor();
    await page.getByText("46,000 of 50,000").waitFor();
    await lookAt(page, "quota-of-marketers");
    for (const path of ["**/v1/session", "**/v1/usage?*", /\/v1\/usage$/]) await page.unroute(path);
  });

  test("who has just paid is told that it is being confirmed, and sees it once it is", async () => {
    const never = { past_due_since: null, campaigns_stop_at: null, transactional_stops_at: null };
    const payment = { provider: "stripe", status: "none", cancels_at: null, ...never };
    await open({ payment });
    await page.goto(`${dashboard.app.baseUrl}/settings/billing?checkout=done`);
    await page.getByText("Your payment is being confirmed.").waitFor();
    await lookAt(page, "payment-confirming");
    await page.unroute("**/v1/billing");
    await page.route("**/v1/billing", async (route) => {
      const response = await route.fetch();
      const json = { ...(await response.json()), payment: { ...payment, status: "active" } };
      await route.fulfill({ response, json });
    });
    await page.getByText("Your payment is confirmed").waitFor();
    await page.getByText("Paid by Stripe.").waitFor();
    await page.waitForURL(/\/settings\/billing$/);
    assert.equal(await page.getByText("is being confirmed").count(), 0);
  });

  test("where mails don't suffice, a campaign may be sent to pause where they end", async () => {
    const list = await makeList(dashboard.app);
    await addSubscriber(dashboard.app, list, "ann@example.com");
    const { id } = await makeCampaign(dashboard.app, list);
    const sent: Json[] = [];
    const detail = "12,400 would be sent, 3,100 left until 1 December";
    await page.route(`**/v1/campaigns/${id}/send`, async (route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({
        status: 422,
        contentType: "application/problem+json",
        json: {
          ...{ type: "about:blank", title: "Not ready", status: 422, code: "campaign_not_ready", detail },
          errors: [{ pointer: "", code: "quota_reached", detail }],
        },
      });
    });
    await page.goto(`${dashboard.app.baseUrl}/campaigns/${id}/edit`);
    await press(page, /^Review/);
    const send = async () => {
      await press(page, "Go on");
      await page.locator(".dialog-f .btn-go").click();
      await page.getByText(`${detail}.`).waitFor();
    };
    await send();
    const pause = page.getByLabel("Send to as many as there are mails for, then pause");
    assert.equal(await pause.isChecked(), false);
    await lookAt(page, "send-short");
    await pause.check();
    await send();
    assert.deepEqual(
      sent.map(({ on_quota }) => on_quota),
      [undefined, "pause"],
    );
    await finish(watched);
  });
});
