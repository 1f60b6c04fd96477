/** The page of usage: what a month had, by kind, server, day and campaign, and how much of the plan that is. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { lookAt } from "../support/page-pictures.ts";
import { addPerson, PASSWORD } from "../support/people.ts";
import { sendCampaign } from "../support/sent-campaigns.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { addUsage } from "../support/usage.ts";

const DAY_MS = 24 * 3_600_000;
const SETTINGS = { RELAY_PRICE_PER_1000: "0.10", RELAY_PRICE_CURRENCY: "EUR" };
const inWords = (number: number) => number.toLocaleString("en-GB");

describe("usage in the dashboard, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let accountId: string;
  before(async () => {
    dashboard = await startDashboard(SETTINGS);
    accountId = uuidOf("acc", dashboard.app.accountId);
    await dashboard.app.db.execute(
      sql`update accounts set created_at = now() - interval '70 days' where account_id = ${accountId}`,
    );
    watched = await dashboard.openAsOwner("/settings/usage");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const go = (query = "") => page.goto(`${dashboard.app.baseUrl}/settings/usage${query}`);
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const figure = (label: string) =>
    page.locator(".usage-stats .stat").filter({ hasText: label }).locator(".v");

  test("a month without mail says so", async () => {
    await page.getByRole("heading", { name: /^Nothing was sent in \w+ 20\d\d$/ }).waitFor();
    assert.equal(await page.locator(".gauge").count(), 0);
    await lookAt(page, "usage-empty");
  });

  test("a month with mail is shown as the API tells it", async () => {
    const { db } = dashboard.app;
    const campaigns = Object.fromEntries(
      [0, 1, 2, 4, 6, 9, 12].map((days) => [daysAgo(days), 7_300 + days * 419]),
    );
    await addUsage(db, accountId, campaigns);
    await addUsage(
      db,
      accountId,
      { [daysAgo(0)]: 310, [daysAgo(1)]: 402, [daysAgo(3)]: 377 },
      { stream: "transactional" },
    );
    await addUsage(db, accountId, { [daysAgo(0)]: 45 }, { stream: "automation", via: "own" });
    await addUsage(db, accountId, { [daysAgo(0)]: 20 }, { via: "sandbox" });
    const list = await makeList(dashboard.app);
    await addSubscriber(dashboard.app, list, "priya@example.com");
    await sendCampaign(dashboard.app, list, { name: "Weekly letter no. 211" });
    await go();
    const usage = await dashboard.ask("GET", "/v1/usage");
    await figure("Sent").getByText(inWords(usage.sent), { exact: true }).waitFor();
    const forecast = Number((await figure("By the end of the month").innerText()).replaceAll(",", ""));
    // It falls a little with each second that passes.
    assert.ok(Math.abs(forecast - usage.month.forecast.sent) < 100, `${forecast}`);
    assert.equal((await figure("Cost").innerText()).replaceAll(/[€,]/g, ""), usage.cost.amount);
    await page.getByText("€0.10 for a thousand mails").waitFor();
    await page.getByText("and 21 mails into the sandbox").waitFor();
    const shares = await page.locator(".pair li").allInnerTexts();
    assert.match(shares[0] ?? "", new RegExp(`Campaigns\\s+${inWords(usage.by_stream.campaign)}`));
    assert.match(shares.at(-1) ?? "", /The account’s own\s+45/);
    await page.getByRole("link", { name: "Weekly letter no. 211" }).waitFor();
    await page.locator(".plot canvas").waitFor();
    await lookAt(page, "usage-full");
    await press(page, "As a table");
    await page.getByRole("columnheader", { name: "Transactional mail" }).waitFor();
    await press(page, "As a chart");
  });

  test("an older month is chosen, has its own address and no forecast", async () => {
    await addUsage(dashboard.app.db, accountId, { [daysAgo(45)]: 1_234 });
    await go();
    const choice = page.getByRole("combobox", { name: "Month" });
    const month = daysAgo(45).slice(0, 7);
    await choice.selectOption(month);
    await page.waitForURL(`**month=${month}`);
    await figure("Sent").getByText("1,234", { exact: true }).waitFor();
    assert.equal(await figure("By the end of the month").count(), 0);
    await page.getByText("No campaign began in this month.").waitFor();
    await page.reload();
    await figure("Sent").getByText("1,234", { exact: true }).waitFor();
    assert.equal(await choice.inputValue(), month);
  });

  test("what the plan includes has a gauge, which says when it is nearly used up, and when it is", async () => {
    const operator = await dashboard.app.db.transaction((tx) =>
      createInstanceKey({ sql: tx, clock: systemClock }, "Billing"),
    );
    const { sent } = await dashboard.ask("GET", `/v1/usage?from=${daysAgo(0).slice(0, 10)}`);
    const as = { key: operator };
    const path = `/v1/instance/accounts/${dashboard.app.accountId}/subscription`;
    const give = async (included_mails: number) => {
      const body = { name: "Growth", price: "29.00", currency: "EUR", included_mails };
      const plan = await dashboard.app.api("POST", "/v1/instance/plans", { ...as, body });
      const put = await dashboard.app.api("PUT", path, { ...as, body: { plan_id: plan.body.id, at: "now" } });
      assert.equal(put.status, 200, put.text);
      await go();
    };
    await give(Math.round(sent / 0.85));
    const gauge = page.locator(".gauge");
    await gauge.waitFor();
    assert.match((await gauge.getAttribute("class")) ?? "", /near/);
    const limit = Math.round(sent / 0.85);
    await page.getByText(`${inWords(sent)} of ${inWords(limit)}`, { exact: true }).waitFor();
    await page.getByText(`${inWords(limit - sent)} left until`).waitFor();
    await lookAt(page, "usage-gauge");
    await give(100);
    await page.getByText(/^None is left until/).waitFor();
  });

  test("usage that can't be read is told, and read again", async () => {
    await page.route("**/v1/usage?*", (route) => route.fulfill({ status: 500, body: "{}" }));
    await page.route("**/v1/usage", (route) => route.fulfill({ status: 500, body: "{}" }));
    await go();
    await page.getByRole("heading", { name: "The usage couldn’t be read" }).waitFor({ timeout: 20_000 });
    await lookAt(page, "usage-failing");
    await page.unrouteAll();
    await press(page, "Try again");
    await figure("Sent").waitFor();
  });

  test("marketers see usage and no plan, and writers neither", async () => {
    for (const [role, sees] of [
      ["marketer", ["Usage"]],
      ["writer", []],
    ] as const) {
      const { email } = await addPerson(dashboard.app, `${role}@example.com`, role);
      const theirs = await dashboard.open("/sign-in");
      await theirs.page.getByLabel("E-mail address").fill(email);
      await theirs.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(theirs.page, "Sign in");
      await theirs.page.waitForURL(`${dashboard.app.baseUrl}/`);
      await theirs.page.goto(`${dashboard.app.baseUrl}/settings/billing`);
      await theirs.page.waitForURL("**/settings/profile");
      await theirs.page.locator(".settings-list a").first().waitFor();
      const parts = await theirs.page.locator(".settings-list a").allInnerTexts();
      assert.deepEqual(
        parts.filter((part) => part === "Usage" || part === "Billing"),
        [...sees],
      );
      await finish(theirs);
    }
    await finish(watched);
  });
});
