/** The README's five minutes: from an empty instance to a report that fills, all of it in the browser. The test itself only reads. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { PATIENCE_MS, skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, OWNER, press, startDashboard } from "../support/dashboard.ts";
import { PASSWORD } from "../support/people.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PEOPLE = [
  ["ada@example.com", "Ada"],
  ["priya@example.com", "Priya"],
  ["zoë@example.com", "Zoë"],
] as const;
const ROWS = ["email,first_name", ...PEOPLE.map((one) => one.join(","))].join("\n");
const SHOP = "https://shop.example/fair";
/** The page asks for half a minute; this much of it is enough to see it count down and pass. */
const UNDO_SECONDS = 8;
/** A click sooner than two seconds after the mail was accepted is taken for a machine's. */
const PERSON_MS = 2_500;
/** A browser without a window names itself, and is then no person's. */
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";

describe("the first five minutes, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let campaignId: string;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard?.stop());

  const read = async (path: string): Promise<Json> => (await dashboard.app.api("GET", path)).body;
  const caught = () => read("/v1/sandbox/messages?include_total=true");
  const said = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const step = (name: string, state: "done" | "now") =>
    page.locator(`[data-step="${name}"].${state}`).waitFor();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

  test("the link of the first start makes the owner, and Home leads to a sender and to people", async () => {
    watched = await dashboard.open(dashboard.app.setupLink);
    page = watched.page;
    await page.getByLabel("What is it called?").fill("Fernhill Books");
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Open the dashboard");
    await step("sender", "now");
    await page.locator('[name="from_name"]').fill("Fernhill");
    await page.locator('[name="from_email"]').fill("letters@fernhill.example");
    await press(page, "Save the sender");
    await step("tracking", "now");
    await page.getByLabel("Everybody, in person").check();
    await press(page, "Track like this");
    await step("subscribers", "now");
    await page.locator('[data-step="subscribers"] a[href="/imports/new"]').click();
    await press(page, "Paste");
    await page.getByLabel("Rows").fill(ROWS);
    await press(page, "Look at the columns");
    await press(page, "Try it on all rows");
    await said("3 people would join");
    await press(page, "Go on with 3 rows");
    await press(page, "Import 3 rows");
    await said("3 came in.");
    assert.equal((await caught()).total, 0, "nobody is mailed by coming in");
  });

  test("a campaign begins with a template, is edited, and saves itself", async () => {
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Winter fair");
    await dialog.getByRole("radio", { name: /^HTML/ }).check();
    await dialog.getByRole("button", { name: "Begin writing" }).click();
    await page.waitForURL(/\/campaigns\/cmp_\w{26}\/edit$/);
    campaignId = page.url().split("/").at(-2) ?? "";
    await press(page, "Templates");
    await page.getByRole("button", { name: "Letter", exact: true }).click();
    await press(page, "Replace it");
    const editor = page.getByRole("textbox", { name: "Content, as HTML", exact: true });
    await editor.click();
    await page.keyboard.press("Control+End");
    await editor.locator(".cm-line", { hasText: "With kind regards," }).click();
    await page.keyboard.press("End");
    // The editor closes by itself what is opened here.
    await page.keyboard.type(`<p>Come to the fair, {{ first_name }}: <a href="${SHOP}">it opens at noon`);
    const subject = page.getByRole("textbox", { name: "Subject", exact: true });
    await subject.click();
    await page.keyboard.press("End");
    await page.keyboard.type(" for {{ first_name }}");
    const preview = page.frameLocator(".mail-frames iframe.front");
    await preview.getByText("Come to the fair, ").waitFor();
    await page.getByText("3 will get it").waitFor();
    const isSaved = async () => {
      const { subject: kept, html } = await read(`/v1/campaigns/${campaignId}`);
      return kept === "Winter fair for {{ first_name }}" && /it opens at noon<\/a><\/p>\s/.test(html);
    };
    await until(isSaved, PATIENCE_MS);
  });

  test("a test to oneself arrives in the sandbox inbox with the words that were edited", async () => {
    await press(page, "Send a test");
    await inDialog("Send the test");
    await said(`It is in the sandbox inbox, for ${OWNER}.`);
    const { data, total } = await caught();
    assert.deepEqual([total, data[0].to], [1, OWNER]);
    const { text } = await read(`/v1/sandbox/messages/${data[0].id}`);
    assert.match(text, /Come to the fair, \S+: it opens at noon/);
    await page.keyboard.press("Escape");
  });

  test("it is reviewed, confirmed and, once the time to take it back has passed, sent to everybody once", async () => {
    await press(page, "Review and send");
    await page.getByRole("dialog").getByText("3 on the list").waitFor();
    await inDialog("Go on");
    let asked: unknown;
    await page.route(`**/v1/campaigns/${campaignId}/send`, (route) => {
      asked = route.request().postDataJSON();
      return route.continue({ postData: JSON.stringify({ undo_seconds: UNDO_SECONDS }) });
    });
    await inDialog("Send to 3 people");
    await page.getByText(/“Winter fair” leaves in [1-8] s, to 3 people/).waitFor();
    assert.deepEqual(asked, { undo_seconds: 30 });
    assert.equal((await read(`/v1/campaigns/${campaignId}`)).status, "scheduled");
    assert.equal((await caught()).total, 1, "nothing has left");
    await page.locator('[data-step="recipients"]').waitFor();
    for (const name of ["recipients", "delivered"])
      assert.equal(await page.locator(`[data-step="${name}"]`).innerText(), "3", name);
    const { data, total } = await caught();
    assert.equal(total, 1 + PEOPLE.length);
    const mails = data.filter(({ to }: Json) => to !== OWNER);
    for (const [email, name] of PEOPLE) {
      const [mail, ...others] = mails.filter(({ to }: Json) => to === email);
      assert.deepEqual([mail.subject, others], [`Winter fair for ${name}`, []]);
      const { html, text } = await read(`/v1/sandbox/messages/${mail.id}`);
      for (const part of [html, text]) assert.match(part, new RegExp(`Come to the fair, ${name}:`));
      assert.ok(html.includes(`Dear ${name},`), "the template's own words are merged too");
      assert.ok(!html.includes("{{"), "nothing is left to merge");
    }
  });

  test("a link that is followed in the inbox is counted in the report", async () => {
    await page.context().setExtraHTTPHeaders({ "user-agent": BROWSER });
    await page.context().route(`${SHOP}**`, (route) => route.fulfill({ body: "The fair" }));
    await page.getByRole("link", { name: "Sandbox inbox" }).first().click();
    await page.getByRole("link", { name: /priya@example.com/ }).click();
    const mail = page.frameLocator('iframe[title="The mail as its reader sees it"]');
    await mail.getByText("Come to the fair, Priya: ").waitFor();
    const { data } = await read("/v1/sandbox/messages?to=priya@example.com");
    await until(() => Date.now() - Date.parse(data[0].created_at) > PERSON_MS);
    const opened = page.waitForEvent("popup");
    await mail.getByRole("link", { name: "it opens at noon" }).click();
    const shop = await opened;
    await shop.waitForURL(`${SHOP}**`);
    await shop.close();
    await page.getByRole("link", { name: "Campaigns", exact: true }).first().click();
    await page
      .getByRole("row", { name: /Winter fair/ })
      .getByRole("link")
      .first()
      .click();
    await page.locator('[data-step="clicks"]', { hasText: /^1$/ }).waitFor();
    assert.equal(await page.locator('[data-step="delivered"]').innerText(), "3");
    await finish(watched);
  });
});
