/** The audit log in the dashboard: who did what, filtered and exported, and hidden from those who may not read it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { addPerson, PASSWORD } from "../support/people.ts";

describe("the audit log of the dashboard, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    listId = (await dashboard.ask("POST", "/v1/lists", { name: "News" })).id;
    await dashboard.ask("PATCH", `/v1/lists/${listId}`, { name: "Old news" });
    await dashboard.ask("POST", "/v1/topics", { name: "Offers" });
    watched = await dashboard.openAsOwner("/settings/audit");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const whats = () => page.locator("tbody tr td.c-main .med").allInnerTexts();
  const row = (what: string) => page.getByRole("row").filter({ hasText: what }).first();

  test("says what was done, by whom, with which fields and from where", async () => {
    await row("Changed a list").waitFor();
    assert.match(await row("Changed a list").innerText(), /name[\s\S]*First key[\s\S]*127\.0\.0\.1/);
    assert.match(await row("Used a link, and signed in").innerText(), /owner@example\.com[\s\S]*Chrome/);
    assert.match(await row("Made the account").innerText(), /Postrider/);
  });

  test("shows all that is kept of one change, and all that was done to the same thing", async () => {
    await row("Changed a list").getByRole("button").click();
    const dialog = page.getByRole("dialog");
    for (const text of ["list.updated", listId, "127.0.0.1", "req_"]) {
      await dialog.getByText(text).first().waitFor();
    }
    await dialog.getByRole("button", { name: "All that was done to it" }).click();
    await page.waitForURL(`**target=${listId}`);
    await page.getByText(`Only what was done to ${listId}`).waitFor();
    await row("Changed a list").waitFor();
    assert.deepEqual(await whats(), ["Changed a list", "Made a list"]);
    await press(page, "Show all");
    await row("Made a topic").waitFor();
  });

  test("is filtered by who, what and when, and says where nothing matches", async () => {
    await page.getByRole("combobox", { name: "What", exact: true }).selectOption("Topics");
    await page.waitForURL("**about=topic*");
    await page.getByText("Made a list").waitFor({ state: "detached" });
    assert.deepEqual(await whats(), ["Made a topic"]);
    await page.getByRole("combobox", { name: "Who", exact: true }).selectOption("Operator");
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    await page.getByRole("combobox", { name: "What", exact: true }).selectOption("");
    await page.getByRole("combobox", { name: "Who", exact: true }).selectOption("First key");
    await row("Made a topic").waitFor();
    await page.getByLabel("To day").fill("2020-01-01");
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    await page.goto(`${dashboard.app.baseUrl}/settings/audit`);
    await row("Made a topic").waitFor();
  });

  test("is exported as it is filtered", async () => {
    await page.goto(`${dashboard.app.baseUrl}/settings/audit?about=topic`);
    await row("Made a topic").waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Export")]);
    assert.match(download.suggestedFilename(), /^audit-\d{4}-\d\d-\d\d\.csv$/);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    assert.deepEqual([lines.length, lines[1]?.split(",")[1]], [2, "topic.created"]);
  });

  test("says so where it couldn't be read, and tries again", async () => {
    await page.route("**/v1/audit?*", (route) => route.abort());
    await page.route("**/v1/audit", (route) => route.abort());
    await page.goto(`${dashboard.app.baseUrl}/settings/audit`);
    await page.getByRole("heading", { name: "The audit log couldn't be read" }).waitFor();
    await page.unrouteAll();
    await press(page, "Try again");
    await row("Made a topic").waitFor();
    await finish(watched);
  });

  test("isn't there for a marketer", async () => {
    const { email } = await addPerson(dashboard.app, "marketer@example.com", "marketer");
    const other = await dashboard.open("/sign-in?from=/settings/audit");
    await other.page.getByLabel("E-mail address").fill(email);
    await other.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(other.page, "Sign in");
    await other.page.waitForURL("**/settings/profile");
    await other.page.getByRole("link", { name: "Security" }).waitFor();
    assert.equal(await other.page.getByRole("link", { name: "Audit log" }).count(), 0);
    await finish(other);
  });
});
