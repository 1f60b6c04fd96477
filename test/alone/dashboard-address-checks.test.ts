/** What becomes of addresses that can't be reached is chosen in the wizard of imports and on the page of a form. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";

const ROWS = "ada@fernhill.shop\nsales@fernhill.shop\nzoe@example.com\nbob@gmial.com\nno address here\n";

describe("checking addresses in the dashboard", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    listId = (await dashboard.ask("POST", "/v1/lists", { name: "Letter" })).id;
    watched = await dashboard.openAsOwner();
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const said = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);

  test("an import leaves out what can't be reached where it is told to, and says why", async () => {
    await go(`/imports/new?list=${listId}`);
    await press(page, "Paste");
    await page.getByLabel("Rows").fill(ROWS);
    await press(page, "Look at the columns");
    const choice = page.getByRole("group", { name: "Addresses that can't be reached" });
    await choice.getByRole("button", { name: "List them", pressed: true }).waitFor();
    await choice.getByRole("button", { name: "Leave them out" }).click();
    await assertAccessible(page, "the columns of an import");
    await press(page, "Try it on all rows");
    await said("3 people would join");
    await page.getByRole("heading", { name: "Can they be reached?" }).waitFor();
    await said("left out, among the rows with a fault");
    await press(page, /^Go on with/);
    await press(page, /^Import \d rows/);
    await page.waitForURL(/\/imports\/imp_/);
    await said("3 came in.");
    await page.getByRole("heading", { name: "Can they be reached?" }).waitFor();
    await assertAccessible(page, "an import with findings");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: /Download \d doubtful rows|Download the doubtful row/ }).click(),
    ]);
    assert.match(download.suggestedFilename(), /-checks\.csv$/);
  });

  test("a form's setting is shown and saved", async () => {
    const form = await dashboard.ask("POST", "/v1/forms", { name: "Counter", list_id: listId });
    await go(`/forms/${form.id}`);
    const select = page.getByRole("combobox", { name: "Addresses that may not be reached" });
    await select.selectOption({ label: "Ask about slips, and refuse what can't be reached" });
    await press(page, "Save");
    await said("“Counter” is saved");
    assert.equal((await dashboard.ask("GET", `/v1/forms/${form.id}`)).checks, "skip_bad");
  });

  test("a person is asked about a slip on the form's page, and may insist", async () => {
    const form = await dashboard.ask("POST", "/v1/forms", { name: "Asking", list_id: listId, locale: "en" });
    await page.goto(form.url);
    await page.getByLabel("E-mail").fill("ada@gmial.com");
    await page.getByRole("checkbox").first().check();
    await press(page, "Sign up");
    await said("Did you mean ada@gmail.com?");
    assert.equal(await page.getByLabel("E-mail").inputValue(), "ada@gmial.com");
    await press(page, "Sign up");
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    await go("/forms");
    await finish(watched);
  });
});
