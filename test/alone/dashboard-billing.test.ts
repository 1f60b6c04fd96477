/** Plans as operators make and give them, an account's credits, and what the people of the account see of it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { addOperator } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, OWNER, press, startDashboard } from "../support/dashboard.ts";
import { lookAt } from "../support/page-pictures.ts";
import { sendCampaign } from "../support/sent-campaigns.ts";
import { addSubscriber, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const pressIn = (within: Locator, name: string) => within.getByRole("button", { name, exact: true }).click();

describe("plans and billing in the dashboard, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/settings/billing");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const go = (path: string) => page.goto(`${dashboard.app.baseUrl}/settings/${path}`);
  const goToAccount = () => go(`instance/${dashboard.app.accountId}`);
  // A message with a way to close it is a dialog too, and isn't meant.
  const dialog = () => page.locator(".dialog");
  const closed = () => dialog().waitFor({ state: "detached" });
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  const choose = async (of: Locator, item: string) => {
    await of.getByRole("button").click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  const billing = () => dashboard.ask("GET", "/v1/billing");

  /** A second factor as if an app had been added; whoever has just signed in needs no code of it. */
  async function letOperate(): Promise<void> {
    const { db } = dashboard.app;
    const { id } = await db.one<{ id: string }>(sql`select id from people where email = ${OWNER}`);
    await db.transaction((tx) => addOperator({ sql: tx, clock: systemClock }, id));
    await db.execute(sql`
      insert into factors (person_id, id, kind, name, secret, created_at, updated_at, activated_at)
      values (${id}, gen_random_uuid(), 'totp', 'Phone', 'x', now(), now(), now())`);
  }

  test("an account without a plan is told so, and plans are for operators alone", async () => {
    await page.getByRole("heading", { name: "This account has no plan" }).waitFor();
    await lookAt(page, "billing-none");
    await go("plans");
    await page.waitForURL("**/settings/profile");
    assert.equal(await page.getByRole("link", { name: "Plans", exact: true }).count(), 0);
    await letOperate();
    await go("plans");
    await page.getByRole("heading", { name: "No plan yet" }).waitFor();
    await lookAt(page, "plans-none");
  });

  test("a plan is made; what is wrong with it stands at its fields", async () => {
    await press(page, "New plan");
    await dialog().getByLabel("Name").fill("Growth");
    await dialog().getByLabel("Price", { exact: true }).fill("29.005");
    await dialog().getByLabel("When they are used up").selectOption("More is charged");
    await dialog().getByLabel("Days of trial").fill("some");
    await pressIn(dialog(), "New plan");
    await dialog()
      .getByText(/^Must be integer/)
      .waitFor();
    await dialog().getByLabel("Days of trial").fill("14");
    await dialog().getByLabel("Mail submitted by SMTP").uncheck();
    await pressIn(dialog(), "New plan");
    await dialog().getByText("May have at most 2 decimals in EUR.").waitFor();
    await dialog().getByText("Must be given where mails beyond them are charged.").waitFor();
    await lookAt(page, "plan-faults");
    await dialog().getByLabel("Price", { exact: true }).fill("29.00");
    await dialog().getByLabel("Included mails").fill("50000");
    await dialog().getByLabel("Price of a thousand more").fill("0.95");
    await dialog().getByLabel("Kept for transactional mail").fill("5000");
    await dialog().getByLabel("Mails a day").fill("20000");
    await dialog().getByLabel("Subscribers").fill("10000");
    await dialog().getByLabel("People").fill("5");
    await pressIn(dialog(), "New plan");
    await closed();
    await row("Growth").getByText("€29.00 a month").waitFor();
    await row("Growth").getByText("€0.95 a thousand").waitFor();
  });

  test("how amounts are written depends on the currency", async () => {
    await press(page, "New plan");
    const currency = dialog().getByLabel("Currency");
    await currency.fill("jpy");
    await dialog().getByText("In JPY, without decimals.").waitFor();
    await currency.fill("KWD");
    await dialog().getByText("In KWD, with up to 3 decimals.").waitFor();
    await currency.fill("JPY");
    await dialog().getByLabel("Name").fill("Nihon");
    await dialog().getByLabel("Price", { exact: true }).fill("2900");
    await dialog().getByLabel("Charged every").selectOption("Year");
    await pressIn(dialog(), "New plan");
    await closed();
    await row("Nihon").getByText("JP¥2,900 a year").waitFor();
    await row("Nihon").getByText("no limit").waitFor();
    await lookAt(page, "plans");
  });

  test("a plan is changed and archived", async () => {
    await choose(row("Nihon"), "Edit");
    assert.equal(await dialog().getByLabel("Price", { exact: true }).inputValue(), "2900");
    await dialog().getByLabel("Price", { exact: true }).fill("3100");
    await pressIn(dialog(), "Save");
    await row("Nihon").getByText("JP¥3,100 a year").waitFor();
    await choose(row("Nihon"), "Archive");
    await dialog().getByText("Nobody gets it from then on.").waitFor();
    await pressIn(dialog(), "Archive");
    await row("Nihon").waitFor({ state: "detached" });
    await press(page, "Archived");
    await page.waitForURL("**state=archived");
    await row("Nihon").waitFor();
    assert.equal(await row("Nihon").getByRole("button").count(), 0);
  });

  test("an account is given the plan, with a cap and a tax", async () => {
    await go("instance");
    await page.getByRole("link", { name: "My account" }).click();
    await page.getByText("It has no plan:").waitFor();
    await lookAt(page, "account-none");
    await press(page, "Give it a plan");
    await dialog().getByLabel("Spending cap").fill("1.001");
    await dialog().getByLabel("Rate, percent").fill("19");
    await pressIn(dialog(), "Give it a plan");
    await dialog().locator("[data-fault-place='tax.label'] .err").waitFor();
    await dialog().getByLabel("Name of the tax").fill("VAT");
    await pressIn(dialog(), "Give it a plan");
    await dialog().locator("[data-fault-place=spending_cap] .err").waitFor();
    await dialog().getByLabel("Spending cap").fill("100");
    await lookAt(page, "account-give");
    await pressIn(dialog(), "Give it a plan");
    await closed();
    await page.getByText("plus 19% VAT").waitFor();
    const { subscription } = await billing();
    assert.deepEqual([subscription.spending_cap, subscription.tax], ["100.00", { label: "VAT", rate: "19" }]);
    assert.equal(subscription.state, "trialing");
  });

  test("credits are given and taken back", async () => {
    await press(page, "Give a credit");
    await dialog().getByLabel("Reason").fill("The letter was late");
    await pressIn(dialog(), "Give a credit");
    await dialog().locator("[data-fault-place=mails] .err").waitFor();
    await dialog().getByLabel("Mails", { exact: true }).fill("10000");
    await pressIn(dialog(), "Give a credit");
    await row("The letter was late").getByText("10,000 mails").waitFor();
    await press(page, "Give a credit");
    await dialog().getByLabel("What").selectOption("An amount of money");
    await dialog().getByLabel("Amount").fill("20");
    await dialog().getByLabel("Currency").fill("eur");
    await dialog().getByLabel("Reason").fill("By mistake");
    await pressIn(dialog(), "Give a credit");
    await row("By mistake").getByText("€20.00").waitFor();
    await choose(row("By mistake"), "Take back");
    await dialog()
      .getByText(/Another credit of -€20.00/)
      .waitFor();
    await dialog().getByLabel("Reason").fill("It was somebody else’s");
    await pressIn(dialog(), "Take back");
    await row("somebody else").getByText("takes another back").waitFor();
    await row("By mistake").getByText("taken back").waitFor();
    assert.deepEqual((await billing()).credits, { mails: 10_000, amounts: [] });
    await lookAt(page, "account-full");
  });

  test("the people of the account see its plan in plain words", async () => {
    await go("billing");
    for (const words of [
      "€29.00 a month",
      "plus 19% VAT",
      "50,000 mails a month",
      "€0.95 for a thousand mails, charged by the mail",
      "5,000 of the included mails",
      "20,000 mails at most",
      "10,000 at most",
      "Automations, Mail servers of its own and Webhooks",
      "€100.00 a period for mails beyond the included ones",
      "10,000 mails",
    ])
      await page.getByText(words, { exact: true }).first().waitFor();
    await page.getByText(/^Free until \d+ \w+ 20\d\d; then the first period begins\.$/).waitFor();
    await lookAt(page, "billing-full");
  });

  test("what the period costs so far is a statement, whose proof leads to the reports", async () => {
    const { app } = dashboard;
    const list = await makeList(app);
    for (const name of ["ann", "ben", "cat"]) await addSubscriber(app, list, `${name}@example.com`);
    const id = await sendCampaign(app, list, { name: "Weekly letter no. 211" });
    // As if a server had taken what the sandbox caught.
    for (const table of [sql`deliveries`, sql`sources`])
      await app.db.execute(sql`update ${table} set transport_id = '00000000-0000-0000-0000-000000000000'`);
    await app.db.execute(sql`update usage_hours set via = 'instance'`);
    await page.reload();
    await page.getByRole("row").filter({ hasText: "So far" }).getByRole("link").click();
    await page.getByText("Not closed yet:").waitFor();
    await page.getByRole("heading", { name: "Proof" }).waitFor();
    const { statement } = await billing();
    const shown = await row("Campaigns").first().innerText();
    assert.match(shown, /3/, `${statement.lines.length} lines: ${shown}`);
    const { sent } = await dashboard.ask("GET", `/v1/campaigns/${id}/stats`);
    const cells = await row("Weekly letter no. 211").getByRole("cell").allInnerTexts();
    assert.deepEqual(cells.slice(1), [String(sent), String(sent)]);
    await lookAt(page, "statement");
    const print = await page.getByRole("link", { name: "Print" }).getAttribute("href");
    assert.equal(await page.evaluate(`fetch(${JSON.stringify(print)}).then(({ status }) => status)`), 200);
    await page.getByRole("link", { name: "Weekly letter no. 211" }).click();
    await page.waitForURL(`**/campaigns/${id}**`);
    await go("billing");
    await page.getByRole("heading", { name: "Statements" }).waitFor();
    await row("So far").waitFor();
    await lookAt(page, "billing-statements");
  });

  test("terms are renewed where an operator says so, and the plan is ended", async () => {
    await go("plans");
    await choose(row("Growth"), "Edit");
    await dialog().getByLabel("Price", { exact: true }).fill("35.00");
    await pressIn(dialog(), "Save");
    await row("Growth").getByText("€35.00 a month").waitFor();
    await choose(row("Growth"), "Give it to accounts by itself");
    await row("Growth").getByText("For new accounts").waitFor();
    await lookAt(page, "plans-default");
    await choose(row("Growth"), "Don’t give it by itself");
    await row("Growth").getByText("For new accounts").waitFor({ state: "detached" });
    await goToAccount();
    await page.getByText("€29.00 a month", { exact: true }).waitFor();
    await press(page, "Change");
    await dialog().getByLabel("Take the plan’s terms as they now are").check();
    await pressIn(dialog(), "Save");
    await page.getByText("€35.00 a month", { exact: true }).waitFor();
    const { subscription } = await billing();
    assert.deepEqual([subscription.terms.price, subscription.spending_cap], ["35.00", "100.00"]);
    await press(page, "End it");
    await pressIn(dialog(), "End it");
    await page.getByText(/, with the hour$/).waitFor();
    assert.notEqual((await billing()).subscription.ends_at, null);
    await go("billing");
    await page.getByText(/, with the hour$/).waitFor();
    await lookAt(page, "billing-ends");
    await page.route("**/v1/billing", async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const terms = { ...json.subscription.terms, name: "Small", price: "9.00" };
      json.follows = { terms };
      json.subscription.pending_change = { at: json.subscription.period.to, plan: { terms } };
      await route.fulfill({ response, json });
    });
    await page.reload();
    await page.getByText("Then", { exact: true }).waitFor();
    await page
      .getByText(/Small.*€9\.00 a month/)
      .first()
      .waitFor();
    await page.getByText("When it ends", { exact: true }).waitFor();
    await lookAt(page, "billing-then");
    await page.unroute("**/v1/billing");
    await goToAccount();
  });

  test("an operator puts off what an account owes", async () => {
    await page.route(/\/v1\/instance\/accounts(\?|$)/, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const debt = { past_due_since: "2026-11-16T09:00:00.000Z", grace_until: null };
      json.data = json.data.map((one: object) => ({ ...one, debt }));
      await route.fulfill({ response, json });
    });
    await go("instance");
    await page.getByText("Owes since 16 Nov 2026").waitFor();
    await lookAt(page, "instance-owes");
    await page
      .getByRole("button", { name: /^More for/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Put the payment off" }).click();
    await lookAt(page, "instance-grace");
    await pressIn(dialog(), "Cancel");
    await page.unroute(/\/v1\/instance\/accounts(\?|$)/);
    await goToAccount();
  });

  test("whoever hasn't confirmed for a while is asked first, and nothing is done without it", async () => {
    await dashboard.app.db.execute(sql`update sessions set confirmed_at = null`);
    await press(page, "Give a credit");
    await dialog().getByLabel("Mails", { exact: true }).fill("5");
    await dialog().getByLabel("Reason").fill("Without a code");
    await pressIn(dialog(), "Give a credit");
    await until(async () => (await dialog().count()) === 2);
    assert.equal((await billing()).credits.mails, 10_000);
  });

  test("a plan that can't be read is told, and read again", async () => {
    await page.route("**/v1/billing", (route) => route.fulfill({ status: 500, body: "{}" }));
    await go("billing");
    await page.getByRole("heading", { name: "The plan couldn’t be read" }).waitFor({ timeout: 20_000 });
    await lookAt(page, "billing-failing");
    await page.unrouteAll();
    await press(page, "Try again");
    await page
      .getByText(/, with the hour$/)
      .first()
      .waitFor();
    await finish(watched);
  });
});
