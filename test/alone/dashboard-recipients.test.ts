/** The recipients of a campaign, in a browser: by state, reason and address; as a file, as a segment, and as a resend. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { fits, skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { FETCHES_AHEAD, hit, mailedAnHourAgo } from "../support/hits.ts";
import { addSubscriber, type Json, makeList, suppress } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const READERS = 56;
const SPECIAL = ["ada", "eve", "pat", "zoe", "bounce", "full", "blocked"];

describe("the recipients of a campaign, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  let campaignId: string;
  const people = new Map<string, Json>();
  before(async () => {
    dashboard = await startDashboard();
    const { app } = dashboard;
    listId = await makeList(app, { name: "The weekly letter" });
    const subscribers = Array.from({ length: READERS }, (_, n) => ({
      email: `reader${n}@example.com`,
      list_id: listId,
    }));
    assert.equal((await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } })).status, 200);
    for (const name of SPECIAL) people.set(name, await addSubscriber(app, listId, `${name}@example.org`));
    await suppress(app, "blocked@example.org", "manual");
    campaignId = await sent("Winter <b>letter</b>");
    await mailedAnHourAgo(app, campaignId);
    await hit(app, campaignId, people.get("ada")?.["contact_id"]);
    await hit(app, campaignId, people.get("eve")?.["contact_id"], { link: 0 });
    await hit(app, campaignId, people.get("pat")?.["contact_id"], { userAgent: FETCHES_AHEAD });
    const left = { campaign_id: campaignId };
    await api("POST", `/v1/subscribers/${people.get("zoe")?.["id"]}/unsubscribe`, left);
    await until(async () => (await api("GET", `/v1/campaigns/${campaignId}/stats`)).opens.unique === 3);
    watched = await dashboard.openAsOwner(`/campaigns/${campaignId}/recipients`);
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  async function sent(name: string, more: Json = {}): Promise<string> {
    const html = '<p>Hello <a href="https://example.com/a">you</a></p>';
    const { id } = await api("POST", "/v1/campaigns", {
      ...{ name, list_id: listId, subject: "Hello", html },
      ...more,
    });
    await dashboard.app.api("POST", `/v1/campaigns/${id}/send`);
    await until(async () => (await api("GET", `/v1/campaigns/${id}`)).status === "sent");
    return id;
  }
  const group = (name: RegExp) =>
    page.getByRole("group", { name: "Which recipients" }).getByRole("button", { name });
  const addresses = () => page.locator("td.c-main").allInnerTexts();
  const rows = (count: number) => until(async () => (await addresses()).length === count);
  const inDialog = () => page.getByRole("dialog");

  test("states have their numbers, and the sum of the bar is that of the recipients", async () => {
    await group(/^All 63$/).waitFor();
    await page.getByText("63 recipients").waitFor();
    for (const name of [/^Sent 60$/, /^Failed 2$/, /^Skipped 1$/, /^Opened 2$/, /^Unsubscribed 1$/])
      await group(name).waitFor();
    assert.equal(await group(/^Unknown/).count(), 0, "nobody is in it");
    await rows(50);
    await press(page, "Older");
    await rows(13);
    await press(page, "Newer");
    await rows(50);
  });

  test("what failed has the server's words, a sentence of meaning and the way to the subscriber", async () => {
    await group(/^Failed/).click();
    await rows(2);
    await page.getByRole("link", { name: "bounce@example.org" }).click();
    const details = page.getByRole("complementary", { name: "One recipient" });
    await details.getByText("The server says that there is no such address.", { exact: false }).waitFor();
    await details.getByText(/^550 5\.1\.1/).waitFor();
    assert.match(page.url(), /status=failed.*shown=con_/);
    await assertAccessible(page, "recipients");
    await page.getByLabel("Reason").selectOption({ label: "Mailbox didn’t take it" });
    await rows(1);
    assert.deepEqual(await addresses(), ["full@example.org"]);
    await page.getByLabel("Domain").fill("elsewhere.example");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Nobody is here" }).waitFor();
    await page.goBack();
    await rows(1);
    await page.getByRole("link", { name: "full@example.org" }).click();
    await page.getByRole("link", { name: "Open the subscriber" }).click();
    await page.waitForURL(`**/subscribers/${people.get("full")?.["id"]}`);
    await page.goBack();
  });

  test("readers are listed with how often, and those whose mail only machines opened on request", async () => {
    await group(/^Opened 2$/).click();
    await rows(2);
    assert.deepEqual((await addresses()).sort(), ["ada@example.org", "eve@example.org"]);
    await page.getByLabel("Count what only machines did").check();
    await rows(3);
    await page.getByRole("cell", { name: "Machines only" }).waitFor();
    await group(/^Opened 3$/).waitFor();
  });

  test("an address is found whatever became of its mail, and one that it didn't go to is said", async () => {
    const find = async (text: string) => {
      const box = page.getByLabel("Find an address among the recipients");
      await box.fill(text);
      await box.press("Enter");
    };
    await find("Blocked@example.org");
    await page.getByText("Suppressed", { exact: true }).waitFor();
    await rows(1);
    await find("nobody@example.org");
    await page.getByRole("heading", { name: "It didn’t go to this address" }).waitFor();
    await group(/^All/).click();
    await rows(50);
  });

  test("they are exported as a file: all of them, and those of one group", async () => {
    for (const [choose, lines] of [
      [/^All/, 64],
      [/^Skipped/, 2],
    ] as const) {
      await group(choose).click();
      const download = page.waitForEvent("download");
      await press(page, /^Export /);
      const text = readFileSync(await (await download).path(), "utf8");
      assert.equal(text.trimEnd().split("\r\n").length, lines);
      assert.match(text, /^email,status,reason,.*opened_at,opens,clicked_at,clicks/);
    }
    await group(/^Failed/).click();
    await page.getByLabel("Reason").selectOption({ label: "Mailbox didn’t take it" });
    await rows(1);
    const download = page.waitForEvent("download");
    await press(page, "Export those shown");
    const [, ...lines] = readFileSync(await (await download).path(), "utf8")
      .trimEnd()
      .split("\r\n");
    assert.deepEqual(
      lines.map((line) => line.split(",")[0]),
      ["full@example.org"],
      "as the table is narrowed",
    );
  });

  test("a segment is made of a group, under a name that no tag has, and leads to it", async () => {
    await group(/^Opened/).click();
    await press(page, "Make a segment");
    await inDialog().getByLabel("Name").fill("Readers of winter");
    await inDialog().getByRole("button", { name: "Make the segment" }).click();
    await inDialog().getByRole("heading", { name: "The segment “Readers of winter” is there" }).waitFor();
    await inDialog().getByText("2 people have the tag.").waitFor();
    await inDialog().getByRole("button", { name: "Open the segment" }).click();
    await page.getByRole("heading", { level: 1, name: "Readers of winter" }).waitFor();
    await page.goto(`${dashboard.app.baseUrl}/campaigns/${campaignId}/recipients`);
    await press(page, "Make a segment");
    await inDialog().getByLabel("Name").fill("Readers of winter");
    await inDialog().getByRole("button", { name: "Make the segment" }).click();
    await inDialog().getByText("There is a tag of this name", { exact: false }).waitFor();
    await page.keyboard.press("Escape");
    await press(page, "Discard");
  });

  test("a resend says whom it goes to and why not to the others, and becomes a draft", async () => {
    await press(page, "Send again to those who didn’t open");
    await inDialog().getByText("people neither opened nor clicked").waitFor();
    const words = (await inDialog().innerText()).replaceAll(/\s+/g, " ");
    assert.match(words, /56 people neither opened nor clicked 60 were sent it − 2 opened or clicked/);
    assert.match(words, /− 1 can’t be seen, and are left out .*− 1 left since/);
    await assertAccessible(page, "resend");
    await inDialog().getByRole("button", { name: "Make the draft" }).click();
    await page.waitForURL(/\/campaigns\/cmp_\w+\/edit/);
    const id = /cmp_\w+/.exec(page.url())?.[0];
    const draft = await api("GET", `/v1/campaigns/${id}`);
    assert.deepEqual([draft.name, draft.status], ["Winter <b>letter</b> again", "draft"]);
    assert.equal((await api("GET", `/v1/campaigns/${id}/audience`)).will_get, 56);
  });

  test("a resend is refused in words where opens weren't tracked", async () => {
    const id = await sent("Untracked", { tracking: { opens: false, clicks: false } });
    await page.goto(`${dashboard.app.baseUrl}/campaigns/${id}/recipients`);
    await press(page, "Send again to those who didn’t open");
    await inDialog().getByRole("alert").getByText("weren't tracked", { exact: false }).waitFor();
    assert.equal(await inDialog().getByRole("button", { name: "Make the draft" }).count(), 0);
  });

  test("while it is sent, who waits is listed too, and what becomes of it shows by itself", async () => {
    const list = await makeList(dashboard.app, { name: "Two people" });
    for (const name of ["ida", "drop"]) await addSubscriber(dashboard.app, list, `${name}@example.net`);
    const html = "<p>Hello</p>";
    const body = { name: "On the road", list_id: list, subject: "Hello", html };
    const { id } = await api("POST", "/v1/campaigns", body);
    await api("POST", `/v1/campaigns/${id}/send`);
    await page.goto(`${dashboard.app.baseUrl}/campaigns/${id}/recipients`);
    await group(/^Deferred 1$/).click();
    await page.getByRole("link", { name: "drop@example.net" }).click();
    await page.getByText("It is sent again, so it may arrive twice.", { exact: false }).waitFor();
    await api("POST", `/v1/campaigns/${id}/cancel`);
    // Nobody knows whether the server took it before the line broke, and nobody sends it again.
    await group(/^Unknown 1$/).click();
    await page.getByRole("link", { name: "drop@example.net" }).click();
    await page
      .getByRole("complementary", { name: "One recipient" })
      .getByText("Unknown", { exact: true })
      .first()
      .waitFor();
  });

  test("nothing is cut off on a telephone", async () => {
    await page.setViewportSize({ width: 360, height: 760 });
    await page.goto(`${dashboard.app.baseUrl}/campaigns/${campaignId}/recipients?status=failed`);
    await page.getByRole("link", { name: "bounce@example.org" }).click();
    await page.getByRole("complementary", { name: "One recipient" }).waitFor();
    assert.ok(await fits(page));
    await assertAccessible(page, "recipients on a telephone");
    await finish(watched);
  });
});
