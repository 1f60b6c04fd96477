/** The list of campaigns in a browser: from an empty page to campaigns in every state, and what can be done to each. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { act, inAnHour, makeCampaign, readCampaign } from "../support/campaigns.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  holdUndo,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("the list of campaigns in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    listId = await makeList(dashboard.app, { name: "Letter readers" });
    for (const name of ["ada", "ben", "eve", "kit"])
      await addSubscriber(dashboard.app, listId, `${name}@example.com`);
    watched = await dashboard.openAsOwner("/campaigns");
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const app = () => dashboard.app;
  const go = (path: string) => page.goto(app().baseUrl + path);
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  const names = () => page.locator("[data-row]").allInnerTexts();
  const shows = (...wanted: string[]) =>
    until(async () => JSON.stringify(await names()) === JSON.stringify(wanted));
  const tab = (name: string) => page.getByRole("navigation", { name: "Campaigns by state" }).getByText(name);
  const choose = async (of: Locator, item: string) => {
    await of.getByRole("button", { name: /^More for/ }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  const make = async (name: string, list = listId) =>
    (await makeCampaign(app(), list, { name, subject: `All of ${name}` }))["id"] as string;
  const reach = (id: string, status: string) =>
    until(async () => (await readCampaign(app(), id))["status"] === status);

  test("an empty page leads to a first draft, which opens for writing", async () => {
    await page.getByRole("heading", { name: "No campaign yet" }).waitFor();
    await assertAccessible(page, "no campaigns");
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").waitFor();
    await dialog.getByRole("button", { name: "Begin writing" }).click();
    await dialog.getByText("Must not be blank.").first().waitFor();
    await dialog.getByLabel("Name").fill("First letter");
    await dialog.getByLabel("List").selectOption(listId);
    await dialog.getByRole("button", { name: "Begin writing" }).click();
    await page.waitForURL(/\/campaigns\/cmp_\w{26}\/edit$/);
    const id = page.url().split("/").at(-2) ?? "";
    const { name, subject, list_id, status, checks } = await readCampaign(app(), id);
    assert.deepEqual([name, subject, list_id, status], ["First letter", "First letter", listId, "draft"]);
    assert.deepEqual(
      checks.filter((one: { severity: string }) => one.severity === "error"),
      [],
      "what it begins with could be sent",
    );
  });

  test("tabs count by state, and the address holds tab, search and filter", async () => {
    const sent = await make("Sent letter");
    await act(app(), sent, "send");
    const waiting = await make("Friday letter");
    await act(app(), waiting, "schedule", { send_at: inAnHour() });
    const lonely = await make("To nobody", await makeList(app(), { name: "Empty" }));
    await app().db.execute(sql`
      update campaigns set status = 'failed', status_reason = 'no_recipients' where id = ${uuidOf("cmp", lonely)}`);
    await reach(sent, "sent");
    await go("/campaigns");
    await until(async () => (await names()).length === 4);
    for (const [label, count] of [
      ["All", 4],
      ["Drafts", 1],
      ["Scheduled", 1],
      ["On the road", 0],
      ["Sent", 1],
      ["Ended early", 1],
    ] as const)
      await page.getByRole("link", { name: `${label} ${count}`, exact: true }).waitFor();
    await assertAccessible(page, "campaigns");
    await tab("Ended early").click();
    await shows("To nobody");
    await row("To nobody").getByText("Nobody to send to").waitFor();
    assert.match(page.url(), /tab=ended/);
    await tab("All").click();
    await page.getByLabel("Search by name or subject").fill("friday");
    await page.keyboard.press("Enter");
    await shows("Friday letter");
    await page.getByRole("link", { name: "All 1", exact: true }).waitFor();
    await page.reload();
    await shows("Friday letter");
    await go(`/campaigns?list=${listId}&created_before=2020-01-01`);
    await page.getByRole("heading", { name: "No campaign fits" }).waitFor();
    await press(page, "Remove the filter Made before");
    await until(async () => (await names()).length === 3);
  });

  test("a filter is added, and a head sorts", async () => {
    await go("/campaigns");
    await until(async () => (await names()).length === 4);
    await page.keyboard.press("f");
    const pop = page.getByRole("dialog", { name: "Filter" });
    await pop.getByLabel("Is").selectOption({ label: "Empty" });
    await pop.getByRole("button", { name: "Apply" }).click();
    await shows("To nobody");
    await press(page, "Remove the filter List");
    await until(async () => (await names()).length === 4);
    const head = page.getByRole("columnheader").getByRole("button", { name: "Campaign", exact: true });
    await head.click();
    await shows("First letter", "Friday letter", "Sent letter", "To nobody");
    await head.click();
    await shows("To nobody", "Sent letter", "Friday letter", "First letter");
    assert.match(page.url(), /sort=-name/);
  });

  test("a sent one shows its recipients, and whom of them opened and clicked, as the API says", async () => {
    const [sent] = (await app().api("GET", "/v1/campaigns?status=sent")).body.data;
    await app().db.execute(sql`
      insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers,
                                   human_clicks, human_clickers, first_at, last_at)
      select account_id, id, '', 9, 4, 5, 2, 2, 2, 1, 1, now(), now() from sources
      where owner_id = ${uuidOf("cmp", sent.id)}`);
    await go("/campaigns?tab=sent");
    await row("Sent letter").getByText("50.0%").waitFor();
    const [, , people, opened, clicked] = await row("Sent letter").getByRole("cell").allInnerTexts();
    assert.match(people ?? "", /^4\s+recipients: 4 sent$/);
    assert.deepEqual([opened, clicked], ["50.0%", "25.0%"]);
    const { body } = await app().api("GET", `/v1/campaigns/${sent.id}/stats`);
    assert.deepEqual([body.rates.open, body.rates.click], [0.5, 0.25]);
  });

  test("what is on the road moves, is paused, resumed and cancelled from its row", async () => {
    const slow = await makeList(app(), { name: "Slow" });
    // The sandbox loses the connection to this one, who is tried again after a minute.
    for (const name of ["ada", "ben", "drop"]) await addSubscriber(app(), slow, `${name}@slow.example`);
    const id = await make("Slow letter", slow);
    await go("/campaigns?tab=road");
    await page.getByRole("heading", { name: "Nothing is on the road" }).waitFor();
    const side = page.getByRole("link", { name: /^Campaigns/ });
    assert.equal(await side.getByText("Something is being sent").count(), 0);
    await act(app(), id, "send");
    await row("Slow letter").getByText("66%").waitFor();
    await side.getByText("Something is being sent").waitFor();
    await choose(row("Slow letter"), "Pause");
    await holdUndo(page);
    await row("Slow letter").getByText("Paused by you").waitFor();
    await side.getByText("Something is being sent").waitFor({ state: "detached" });
    await reach(id, "paused");
    await press(page, "Undo");
    await row("Slow letter").getByText("Sending").waitFor();
    await reach(id, "sending");
    await page.keyboard.press("j");
    await page.keyboard.press("p");
    await row("Slow letter").getByText("Paused by you").waitFor();
    await choose(row("Slow letter"), "Cancel the campaign");
    const dialog = page.getByRole("dialog", { name: "Cancel “Slow letter”?" });
    await dialog.getByText("One recipient hasn't got it yet").waitFor();
    await assertAccessible(page, "cancel a campaign");
    await dialog.getByRole("button", { name: "Cancel the campaign" }).click();
    await page.getByRole("heading", { name: "Nothing is on the road" }).waitFor();
    await reach(id, "canceled");
    await tab("Ended early").click();
    await row("Slow letter").getByText("2 had it").waitFor();
  });

  test("a draft is duplicated, edited and deleted; a schedule is taken off and put back", async () => {
    await go("/campaigns?tab=drafts");
    await choose(row("First letter"), "Duplicate");
    await page.waitForURL(/\/campaigns\/cmp_\w{26}\/edit$/);
    const copy = page.url().split("/").at(-2) ?? "";
    await go("/campaigns?tab=drafts");
    const { name } = await readCampaign(app(), copy);
    await choose(row(name), "Delete the draft");
    await press(page, "Delete the draft");
    await shows("First letter");
    assert.equal((await app().api("GET", `/v1/campaigns/${copy}`)).status, 404);
    await page.keyboard.press("j");
    await page.keyboard.press("e");
    await page.waitForURL(/\/edit$/);
    await go("/campaigns?tab=scheduled");
    await choose(row("Friday letter"), "Take it off the schedule");
    await holdUndo(page);
    await page.getByRole("heading", { name: "Nothing is scheduled" }).waitFor();
    await press(page, "Undo");
    await shows("Friday letter");
    const [scheduled] = (await app().api("GET", "/v1/campaigns?status=scheduled")).body.data;
    assert.equal(scheduled.name, "Friday letter");
  });

  test("the palette finds a campaign by its name and begins one; a row opens with Enter", async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill("friday let");
    await page.getByRole("option", { name: "Friday letter" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/campaigns\/cmp_\w{26}/);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill("new camp");
    await page.getByRole("option", { name: /New campaign/ }).click();
    await page.getByRole("dialog", { name: "New campaign" }).waitFor();
    assert.match(page.url(), /\/campaigns\?new=true$/);
    await page.keyboard.press("Escape");
    await go("/campaigns?tab=sent");
    await shows("Sent letter");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/campaigns\/cmp_\w{26}$/);
  });

  test("a subscriber's timeline and the log of events lead to the campaign that they name", async () => {
    const [sent] = (await app().api("GET", "/v1/campaigns?status=sent")).body.data;
    const found = await app().api("GET", `/v1/subscribers/search?email=ada@example.com&list_id=${listId}`);
    await go(`/subscribers/${found.body.data[0].id}`);
    await page.getByRole("link", { name: "Was sent “Sent letter”" }).click();
    await page.waitForURL(`${app().baseUrl}/campaigns/${sent.id}`);
    await go("/events?about=campaign");
    await page.getByText("campaign.sent", { exact: true }).first().click();
    await page.getByRole("link", { name: "Open the campaign" }).click();
    await page.waitForURL(`${app().baseUrl}/campaigns/${sent.id}`);
  });

  test("what can't be read says so, and is read again", async () => {
    let isBroken = true;
    await page.route("**/v1/campaigns?*", (route) =>
      isBroken ? route.fulfill({ status: 500, body: "{}" }) : route.continue(),
    );
    await go("/campaigns?tab=sent&sort=name");
    await page.getByRole("heading", { name: "The campaigns couldn't be read" }).waitFor();
    isBroken = false;
    await press(page, "Try again");
    await shows("Sent letter");
    await page.unroute("**/v1/campaigns?*");
    await page.setViewportSize({ width: 360, height: 760 });
    await assertAccessible(page, "campaigns on a telephone");
    await finish(watched);
  });
});
