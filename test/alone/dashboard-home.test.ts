/** Home: from an empty instance through the checklist to a sent campaign, and what Home shows of an account that is at work. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { importFile } from "../support/imports.ts";
import { addPerson, PASSWORD } from "../support/people.ts";
import { until } from "../support/until.ts";

describe("Home, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/");
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  const step = (name: string, state: "done" | "now" | "later") =>
    page.locator(`[data-step="${name}"].${state}`).waitFor();
  const number = (value: number) => value.toLocaleString("en-GB");
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

  test("the checklist leads from nothing to a sent campaign, and is ticked by what is so", async () => {
    await step("sender", "now");
    await press(page, "Save the sender");
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await page.locator('[name="from_email"]').fill("letters@fernhill.example");
    await press(page, "Save the sender");
    await step("sender", "done");
    assert.equal((await api("GET", "/v1/account")).from_email, "letters@fernhill.example");

    await step("tracking", "now");
    await press(page, "Track like this");
    await page.getByText("Choose one of the four.").waitFor();
    await page.getByLabel("Only those who agreed").check();
    await press(page, "Track like this");
    await step("tracking", "done");
    assert.equal((await api("GET", "/v1/account")).tracking, "consented");

    await step("subscribers", "now");
    await press(page, "Use 200 made-up people");
    await step("subscribers", "done");
    await page.getByText("200 of them are made up.").waitFor();
    assert.equal((await api("GET", "/v1/sample_data")).subscribers, 200);

    await step("sending_server", "now");
    await press(page, "Stay in the sandbox for now");
    await step("campaign", "now");
    assert.deepEqual((await api("GET", "/v1/account")).checklist.skipped, ["sending_server"]);

    await press(page, "Send the sample campaign");
    await step("campaign", "done");
    const { campaign_id: id } = await api("GET", "/v1/sample_data");
    const stats = await api("GET", `/v1/campaigns/${id}/stats`);
    assert.deepEqual([stats.status, stats.recipients, stats.queued], ["sent", 200, 0]);
    const step5 = page.locator('[data-step="campaign"]');
    await step5.getByText(`${number(stats.sent)} sent`).waitFor();
    await step5.getByText("200 recipients").waitFor();
    const { data: caught } = await api("GET", "/v1/sandbox/messages?limit=3");
    await step5.getByText(caught[0].to).waitFor();
    const report = step5.getByRole("link", { name: "See its report" });
    assert.equal(await report.getAttribute("href"), `/campaigns/${id}`);
  });

  test("numbers on Home are those of the API", async () => {
    const { data } = await api("GET", "/v1/campaigns?status=sent");
    const stats = await api("GET", `/v1/campaigns/${data[0].id}/stats`);
    const row = page.getByRole("row", { name: /Sample: a first letter/ });
    await row.getByRole("cell", { name: number(stats.delivered), exact: true }).waitFor();
    assert.equal(await row.getByRole("link").getAttribute("href"), `/campaigns/${data[0].id}`);
    const growth = await api("GET", "/v1/stats/growth");
    await page.locator(".growth .v", { hasText: number(growth.active) }).waitFor();
    await page.getByText(`${number(growth.gained)} joined, ${number(growth.lost)} left`).waitFor();
    const sending = await api("GET", "/v1/stats/sending?sandbox=true");
    const rate = new Intl.NumberFormat("en-GB", { style: "percent", maximumFractionDigits: 2 });
    await page.locator(".health").getByText(rate.format(sending.rates.delivery)).waitFor();
  });

  test("what was put away stays away, until somebody wants it back", async () => {
    await press(page, "Put this away");
    const today = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
    await page.getByRole("heading", { name: today.format(new Date()), level: 1 }).waitFor();
    assert.equal((await api("GET", "/v1/account")).checklist.dismissed, true);
    await page.reload();
    await page.getByRole("heading", { name: "Recent campaigns" }).waitFor();
    assert.equal(await page.locator("[data-step]").count(), 0);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("first steps again");
    await page.keyboard.press("Enter");
    await step("campaign", "done");
    await press(page, "Put this away");
    await page.getByRole("heading", { name: today.format(new Date()), level: 1 }).waitFor();
  });

  test("what needs somebody is named with what to do, and can be done there", async () => {
    const { data: lists } = await api("GET", "/v1/lists");
    const own = lists.find((list: { sample: boolean }) => !list.sample).id;
    await api("POST", "/v1/subscribers", { email: "ada@fernhill.example", list_id: own });
    const body = { name: "<b>News</b>", list_id: own, subject: "News", html: "<p>News</p>" };
    const { id } = await api("POST", "/v1/campaigns", body);
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    await api("POST", `/v1/campaigns/${id}/schedule`, { send_at });
    await api("POST", `/v1/campaigns/${id}/pause`);
    await api("POST", "/v1/transports", { name: "Ours", host: "smtp.example.com", streams: ["campaign"] });
    await importFile(dashboard.app, { list_id: own }, "email\nnobody\n");
    await page.reload();
    const leftOut = page.getByText("people.csv was imported with one row left out");
    await leftOut.waitFor();
    await press(page, /^Put away: people.csv/);
    await leftOut.waitFor({ state: "detached" });
    await page.reload();
    await page.getByText("Your mail has no postal address").waitFor();
    assert.equal(await leftOut.count(), 0);
    await page.getByText("PUBLIC_URL", { exact: false }).first().waitFor();
    await page.getByText("“<b>News</b>” is paused").waitFor();
    await press(page, "Resume");
    await until(async () => (await api("GET", `/v1/campaigns/${id}`)).status === "scheduled");
    await page.getByText("“<b>News</b>” is paused").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Open the sender" }).first().click();
    await page.waitForURL(`${dashboard.app.baseUrl}/settings/sender`);
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.waitForURL(`${dashboard.app.baseUrl}/`);
    await api("POST", `/v1/campaigns/${id}/unschedule`);
  });

  test("removing sample data says what stays, and removes the rest", async () => {
    const { list_id: listId, campaign_id: id } = await api("GET", "/v1/sample_data");
    const added = await api("POST", "/v1/subscribers", { email: "real@fernhill.example", list_id: listId });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("remove sample");
    await page.keyboard.press("Enter");
    await page.getByText("One person on the list is not made up.", { exact: false }).waitFor();
    await inDialog("Cancel");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await api("DELETE", `/v1/subscribers/${added.id}`);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("remove sample");
    await page.keyboard.press("Enter");
    await page.getByText("200 made-up people", { exact: false }).waitFor();
    await page.getByText("One campaign that was sent is archived", { exact: false }).waitFor();
    await inDialog("Remove sample data");
    await page.getByText("The sample data is gone").waitFor();
    assert.equal((await api("GET", "/v1/sample_data")).list_id, null);
    assert.ok((await api("GET", `/v1/campaigns/${id}`)).archived_at);
    await page.getByText("What you send shows here, with its numbers.").waitFor();
    assert.equal(page.url(), `${dashboard.app.baseUrl}/`);
    await finish(watched);
  });

  test("a member has Home without what only owners do", async () => {
    await api("PATCH", "/v1/account", { checklist: { dismissed: false } });
    await addPerson(dashboard.app, "joe@example.com");
    const one = await dashboard.open("/");
    await one.page.getByLabel("E-mail address").fill("joe@example.com");
    await one.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(one.page, "Sign in");
    await one.page.getByRole("heading", { name: "Recent campaigns" }).waitFor();
    await one.page.getByText("Your mail has no postal address").waitFor();
    assert.equal(await one.page.getByRole("link", { name: "Open the sender" }).count(), 0);
    assert.equal(await one.page.getByRole("button", { name: "Show the first steps again" }).count(), 0);
    await finish(one);
  });
});
