/** The page of the instance, for operators alone: accounts are opened, suspended with a reason that their people see, and looked into. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { addOperator } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { makeFixture } from "../support/fixtures.ts";
import { until } from "../support/until.ts";

const pressIn = (within: Locator, name: string) => within.getByRole("button", { name, exact: true }).click();
const WHY = "They asked why a campaign stands still";

describe("the instance in the dashboard, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/settings/profile");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  const choose = async (name: string, item: string) => {
    await row(name).getByRole("button").click();
    await page.getByRole("menuitem", { name: item }).click();
    return page.getByRole("dialog");
  };
  /** A second factor as if an app had been added; whoever has just signed in needs no code of it. */
  async function letOperate(): Promise<void> {
    const { db } = dashboard.app;
    const { id } = await db.one<{ id: string }>(sql`select id from people where email = 'owner@example.com'`);
    await db.transaction((tx) => addOperator({ sql: tx, clock: systemClock }, id));
  }

  test("isn't there for whoever is no operator, and asks an operator for a second factor", async () => {
    await page.getByRole("link", { name: "Profile" }).first().waitFor();
    assert.equal(await page.getByRole("link", { name: "Instance", exact: true }).count(), 0);
    await page.goto(`${dashboard.app.baseUrl}/settings/instance`);
    await page.waitForURL("**/settings/profile");
    await letOperate();
    await page.goto(`${dashboard.app.baseUrl}/settings/instance`);
    await row("My account").waitFor();
    await page.getByText("To change anything here you need a second factor.").waitFor();
    await dashboard.app.db.execute(sql`
      insert into factors (person_id, id, kind, name, secret, created_at, updated_at, activated_at)
      select person_id, gen_random_uuid(), 'totp', 'Phone', 'x', now(), now(), now() from operators`);
    await page.reload();
    await row("My account").waitFor();
    assert.equal(await page.getByText("you need a second factor").count(), 0);
  });

  test("opens an account and shows its owner's link once", async () => {
    await press(page, "Open an account");
    await page.getByLabel("Name of the account").fill("Fernhill Books");
    await page.getByLabel("E-mail address of its owner").fill("fern@example.com");
    await pressIn(page.getByRole("dialog"), "Open an account");
    await page.getByText(/\/setup#prl_/).waitFor();
    await page.getByRole("checkbox").check();
    await press(page, "Done");
    await row("Fernhill Books").waitFor();
    assert.match(await row("Fernhill Books").innerText(), /acc_\w+[\s\S]*Active/);
  });

  test("suspends an account with a reason, and reinstates it", async () => {
    const dialog = await choose("Fernhill Books", "Suspend");
    await dialog.getByLabel("Reason").fill("Unpaid since May");
    await pressIn(dialog, "Suspend");
    await row("Fernhill Books").getByText("Unpaid since May").waitFor();
    await page.getByRole("combobox", { name: "State" }).selectOption("Suspended");
    await page.waitForURL("**state=suspended*");
    await row("My account").waitFor({ state: "detached" });
    const again = await choose("Fernhill Books", "Reinstate");
    await pressIn(again, "Reinstate");
    await page.getByRole("heading", { name: "No account matches" }).waitFor();
  });

  test("limits an account, whose owners see it, and shows what is wrong with a limit", async () => {
    await page.goto(`${dashboard.app.baseUrl}/settings/instance`);
    const dialog = await choose("My account", "Name and limits");
    await dialog.getByLabel("Mails a day at most").fill("many");
    await pressIn(dialog, "Save");
    await dialog.getByText(/^Must be integer/).waitFor();
    await dialog.getByLabel("Mails a day at most").fill("1500");
    await dialog.getByLabel("Subscribers at most").fill("2500");
    await pressIn(dialog, "Save");
    await row("My account").getByText("1,500 a day at most").waitFor();
    await row("My account").getByText("of 2,500").waitFor();
    await assertAccessible(page, "the limits of an account");
    await page.goto(`${dashboard.app.baseUrl}/settings/account`);
    await page.getByText("Mails a day at most: 1,500.").waitFor();
    await page.getByText("Subscribers at most, on all lists together: 2,500.").waitFor();
    await assertAccessible(page, "the account's settings with limits");
    await page.goto(`${dashboard.app.baseUrl}/settings/instance`);
    const again = await choose("My account", "Name and limits");
    await again.getByLabel("Mails a day at most").fill("");
    await again.getByLabel("Subscribers at most").fill("");
    await pressIn(again, "Save");
    await row("My account").getByText("a day at most").waitFor({ state: "detached" });
  });

  test("can be used by everybody, in both themes and on a narrow screen", async () => {
    await page.goto(`${dashboard.app.baseUrl}/settings/instance`);
    await row("Fernhill Books").waitFor();
    for (const [width, scheme] of [
      [1_280, "light"],
      [1_280, "dark"],
      [360, "light"],
      [360, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme });
      await assertAccessible(page, `the instance at ${width} px, ${scheme}`);
    }
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.emulateMedia({ colorScheme: "light" });
  });

  test("finds an account by part of its name", async () => {
    await page.goto(`${dashboard.app.baseUrl}/settings/instance`);
    await page.getByRole("searchbox", { name: "Name or id" }).fill("fernh");
    await page.keyboard.press("Enter");
    await page.waitForURL("**q=fernh*");
    await row("My account").waitFor({ state: "detached" });
    await row("Fernhill Books").waitFor();
  });

  test("looks into an account as a viewer, says so at the top, and leads back", async () => {
    const dialog = await choose("Fernhill Books", "Look in");
    await dialog.getByLabel("Reason").fill(WHY);
    await pressIn(dialog, "Look in");
    await page.getByText("You look into this account as an operator").waitFor();
    assert.equal(await page.getByRole("link", { name: "Subscribers", exact: true }).count(), 0);
    await press(page, "Leave");
    await row("Fernhill Books").waitFor();
    assert.equal(await page.getByText("You look into this account").count(), 0);
  });

  test("shows what waits for review, and lets it be refused with a reason and approved", async () => {
    const { app } = dashboard;
    const theirs = await app.addAccount({ isNew: true });
    for (const _ of [1, 2]) await makeFixture(app, theirs.key, "rev");
    await page.goto(`${app.baseUrl}/settings/instance`);
    await page.getByRole("heading", { name: "Reviews" }).waitFor();
    await assertAccessible(page, "the reviews of the instance");
    await page.getByRole("button", { name: "Refuse", exact: true }).first().click();
    const refusing = page.getByRole("dialog");
    await refusing.getByLabel("Reason").fill("Where are these addresses from?");
    await pressIn(refusing, "Refuse");
    await page.getByText("is refused").waitFor();
    await until(async () => (await page.getByRole("button", { name: "Approve", exact: true }).count()) === 1);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await pressIn(page.getByRole("dialog"), "Approve");
    await page.getByText(/” goes on$/).waitFor();
    await page.getByText("First campaigns to many, of new accounts.").waitFor({ state: "detached" });
    const states = await app.db.many<{ state: string }>(sql`select state from source_reviews order by state`);
    assert.deepEqual(
      states.map(({ state }) => state),
      ["approved", "refused"],
    );
  });

  test("shows the people of an account that it is suspended, and why", async () => {
    await page.goto(`${dashboard.app.baseUrl}/settings/instance?q=${dashboard.app.accountId}`);
    const dialog = await choose("My account", "Suspend");
    await dialog.getByLabel("Reason").fill("Unpaid since June");
    await pressIn(dialog, "Suspend");
    await row("My account").getByText("Unpaid since June").waitFor();
    await page.goto(`${dashboard.app.baseUrl}/campaigns`);
    await page.getByText("This account is suspended.").waitFor();
    await page.getByText("The reason: “Unpaid since June”.").waitFor();
    await finish(watched);
  });
});
