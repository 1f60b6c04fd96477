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
import { sendEmail, untilStatus } from "../support/emails.ts";
import { addPerson, PASSWORD } from "../support/people.ts";
import { until } from "../support/until.ts";

/** Each would change the title if it ran. */
const RUNS = `<img src=x onerror="top.document.title='ran'">`;
const HTML = `<html><body><h1>Thank you</h1><script>top.document.title = "ran"</script>${RUNS}
  <svg onload="top.document.title='ran'"></svg></body></html>`;

describe("transactional mail, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/emails");
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const row = (subject: string) => page.getByRole("row").filter({ hasText: subject });
  const open = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const stops = () => page.locator(".stop").allInnerTexts();
  /** Adds a filter by the pop-up, with the keyboard alone but for the choice. */
  const filter = async (by: string, value: string) => {
    await page.keyboard.press("f");
    await page.getByRole("dialog").getByLabel("Filter by").selectOption({ label: by });
    await page.getByRole("dialog").getByLabel("Is", { exact: true }).fill(value);
    await press(page, "Apply");
  };

  test("where there is none, it says how to send one, and the first appears by itself", async () => {
    await heading("No mail has been sent this way yet");
    await page.getByText(`curl ${dashboard.app.baseUrl}/v1/emails`).waitFor();
    await assertAccessible(page, "no mail yet");
    const { id } = await sendEmail(dashboard.app, { subject: "The first", text: "x" });
    await row("The first").waitFor();
    await untilStatus(dashboard.app, id, "sent");
    await row("The first").getByText("Sent").waitFor();
  });

  test("newer mails wait until somebody wants them", async () => {
    await sendEmail(dashboard.app, { subject: "The second", text: "x" });
    const newer = page.getByRole("button", { name: "Show newer mails" });
    await newer.waitFor();
    assert.equal(await row("The second").count(), 0, "no row moves from under the pointer");
    await newer.click();
    await row("The second").waitFor();
    await newer.waitFor({ state: "detached" });
  });

  test("mails are found by address, subject, tag, metadata, status and time, all in the address", async () => {
    const { app } = dashboard;
    const receipt = { to: ["grace@example.com"], subject: "Receipt for tea", tags: ["tea"] };
    await sendEmail(app, { ...receipt, metadata: { order: "0047" } });
    await sendEmail(app, { ...receipt, subject: "Receipt for coffee", metadata: { order: "48" } });
    const { id } = await sendEmail(app, { to: ["bounce@example.com"], subject: "Nobody is there" });
    await untilStatus(app, id, "bounced");
    await open("/emails");
    await row("Nobody is there").waitFor();
    const search = async (text: string) => {
      await page.keyboard.press("/");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    await search("GRACE@example.com");
    await page.waitForURL(/to=GRACE/);
    await page.getByText("2 mails").waitFor();
    await search("coffee");
    await page.waitForURL(/subject=coffee/);
    await page.getByText("1 mail", { exact: true }).waitFor();
    await press(page, "Clear the filter");
    await page.waitForURL(/\/emails$/);
    await filter("Metadata", "order=0047");
    await row("Receipt for coffee").waitFor({ state: "detached" });
    await row("Receipt for tea").waitFor();
    await page.reload();
    await row("Receipt for tea").waitFor();
    assert.equal(await page.getByRole("row").count(), 2, "a head and a mail");
    await filter("Tag", "coffee");
    await heading("No mail matches");
    await press(page, "Clear the filter");
    await row("Nobody is there").waitFor();
    await page.getByLabel("Status").selectOption("bounced");
    await row("Receipt for tea").waitFor({ state: "detached" });
    await row("Nobody is there").waitFor();
    await open("/emails?created_before=2020-01-01");
    await heading("No mail matches");
    await open(`/emails?created_after=2020-01-01T10:30&created_before=2099-01-01`);
    await row("Receipt for tea").waitFor();
    await open("/emails?to=nobody@");
    await heading("No mail matches");
    await press(page, "Clear the filter");
    await row("Receipt for tea").waitFor();
    await search(String(id));
    await heading("Nobody is there");
  });

  test("one mail says what the server said, and shows itself in every way without running anything", async () => {
    const { app } = dashboard;
    const [list] = (await dashboard.ask("GET", "/v1/lists")).data;
    await dashboard.ask("POST", "/v1/subscribers", { email: "ada@example.com", list_id: list.id });
    const { id } = await sendEmail(app, {
      from: `"${RUNS.replaceAll('"', "'")}" <billing@acme.example>`,
      to: [`"<b>Ada</b>" <ada@example.com>`, "bounce+2@example.com"],
      bcc: ["audit@example.com"],
      subject: `Bold <b>move</b> ${RUNS}`,
      html: HTML,
      text: "Thank you, in text",
      tags: [RUNS.slice(0, 50), "receipt"],
      metadata: { [RUNS.slice(0, 30).replaceAll("]", "")]: RUNS },
      attachments: [
        {
          filename: "<img src=x onerror=alert(1)>.pdf",
          content: "JVBERi0=",
          content_type: "application/pdf",
        },
      ],
    });
    await untilStatus(app, id, "bounced");
    await open(`/emails/${id}`);
    await page.getByRole("heading", { name: "Bold <b>move</b>" }).waitFor();
    await page.getByText("550 5.1.1 no such mailbox (sandbox)").first().waitFor();
    await page.getByText("Bcc").first().waitFor();
    await page.getByText("<img src=x onerror=alert(1)>.pdf").waitFor();
    await page.getByRole("button", { name: "Copy the Message-ID" }).waitFor();
    const frame = page.frameLocator('iframe[title="The mail as its reader sees it"]');
    await frame.getByRole("heading", { name: "Thank you" }).waitFor();
    assert.equal(await page.locator("iframe").getAttribute("sandbox"), "");
    for (const viewport of [
      { width: 360, height: 760 },
      { width: 1_440, height: 900 },
    ]) {
      await page.setViewportSize(viewport);
      await assertAccessible(page, `a mail at ${viewport.width} pixels`);
    }
    await press(page, "Text");
    await page.locator("pre", { hasText: "Thank you, in text" }).waitFor();
    await press(page, "Headers");
    await page
      .locator("dt", { hasText: /^Message-ID$/ })
      .last()
      .waitFor();
    await press(page, "Raw");
    await page.getByText("Content-Type: multipart/alternative").waitFor();
    assert.match(await page.title(), /^Bold <b>move<\/b>/, "nothing ran");
    await page.getByRole("link", { name: "ada@example.com" }).click();
    await page.waitForURL(/\/subscribers\/sub_/);
    await open("/emails");
    await page.getByText("Bold <b>move</b>").waitFor();
    await page.setViewportSize({ width: 360, height: 760 });
    await assertAccessible(page, "the list at 360 pixels");
    await page.setViewportSize({ width: 1_440, height: 900 });
    assert.equal(await page.title(), "Transactional · Postrider", "nothing ran");
  });

  test("a timeline goes on by itself from queued to sent", async () => {
    // The sandbox asks for patience once at this address, and takes the mail at the second try.
    const { id } = await sendEmail(dashboard.app, { to: ["defer@example.com"], subject: "Wait for it" });
    await open(`/emails/${id}`);
    await heading("Wait for it");
    await until(async () => (await stops()).some((one) => one.includes("451 4.7.1 try again later")));
    await until(async () => (await stops()).some((one) => one.includes("Taken by the server")));
    const [first] = await stops();
    assert.match(first ?? "", /^Queued/);
    await page.getByRole("row").getByText("Sent").waitFor();
    assert.equal(await page.getByRole("button", { name: "Cancel the mail" }).count(), 0);
  });

  test("a planned mail is cancelled, and is so for the API too", async () => {
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = await sendEmail(dashboard.app, { subject: "For tomorrow", send_at });
    await open(`/emails/${id}`);
    await page.getByText(/^leaves /).waitFor();
    await press(page, "Cancel the mail");
    await page.getByRole("dialog").getByText("One person then doesn’t get it, for good.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the mail" }).click();
    await page.getByText("The mail is cancelled").waitFor();
    await until(async () => (await stops()).some((one) => one.includes("Cancelled")));
    assert.equal((await dashboard.ask("GET", `/v1/emails/${id}`)).status, "canceled");
  });

  test("what is erased says so, and what isn't there too", async () => {
    const { app } = dashboard;
    const [list] = (await dashboard.ask("GET", "/v1/lists")).data;
    const { id: subscriberId } = await dashboard.ask("POST", "/v1/subscribers", {
      email: "erased@example.com",
      list_id: list.id,
    });
    const { id } = await sendEmail(app, { to: ["erased@example.com"], subject: "Short-lived" });
    await untilStatus(app, id, "sent");
    assert.ok((await app.api("POST", `/v1/subscribers/${subscriberId}/forget`)).status < 300);
    await open(`/emails/${id}`);
    await page.getByText("What it said is no longer kept").waitFor();
    await page.getByRole("cell", { name: "Erased" }).waitFor();
    await open(`/emails/${String(id).slice(0, -4)}0000`);
    await heading("There is no such mail");
  });

  test("a member isn't led there, and is told who may look", async () => {
    await addPerson(dashboard.app, "joe@example.com");
    const one = await dashboard.open("/emails");
    await one.page.getByLabel("E-mail address").fill("joe@example.com");
    await one.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(one.page, "Sign in");
    await one.page.getByText("Your role doesn't allow this; an owner of the account can do it.").waitFor();
    assert.equal(await one.page.getByRole("link", { name: "Transactional" }).count(), 0);
    await finish(one);
  });

  test("the palette finds one by its id, and all to an address; the sandbox leads to it", async () => {
    const { id } = await sendEmail(dashboard.app, { to: ["find@example.com"], subject: "Find me" });
    await untilStatus(dashboard.app, id, "sent");
    const ask = async (text: string, option: RegExp) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search or jump to" }).fill(text);
      await page.getByRole("option", { name: option }).click();
    };
    await open("/lists");
    await heading("Lists");
    await ask(String(id), /Find me/);
    await heading("Find me");
    await ask("find@example.com", /Transactional mail to find@example.com/);
    await page.waitForURL(/\/emails\?to=/);
    await row("Find me").waitFor();
    await open("/inbox?to=find@example.com");
    await page.getByRole("link", { name: /find@example.com/ }).click();
    await page.getByRole("link", { name: "What became of it" }).click();
    await heading("Find me");
    // The browser says of the mail that would run that it didn't.
    const others = watched.faults.filter(
      (fault) => !/^error: Blocked script execution in .*\/html'/.test(fault),
    );
    await finish({ ...watched, faults: others });
  });
});
