/** What people do with their preferences and their data, in a real browser, by links in mail that was really sent. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { fits, launchChromium, PATIENCE_MS, skipWithoutChromium, violations } from "../support/browser.ts";
import { MOST_MS } from "../support/dashboard.ts";
import { mailedLinks, sendWithPreferences } from "../support/preferences.ts";
import { addSubscriber, makeList } from "../support/subscribers.ts";

const SERVED = { opens: true, clicks: true, unsubscribe: true };
const LOOKS = [
  { name: "light", colorScheme: "light", viewport: { width: 360, height: 720 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1_280, height: 800 } },
] as const;
const PEOPLE = [...LOOKS.map(({ name }) => name), "no-script", "data", "delete", "move"];
const addressOf = (name: string) => `${name}@fernhill.example`;

describe("preferences, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let app: TestApp;
  let browser: Browser;
  let paths: Map<string, string>;

  before(async () => {
    app = await createApp({ served: SERVED });
    browser = await launchChromium();
    await app.api("PATCH", "/v1/account", {
      body: {
        name: "Fernhill Books",
        postal_address: "14 Bondgate, Otley LS21 3AB",
        branding: { colour: "#1f3a5f" },
      },
    });
    const listId = await makeList(app, { name: "The weekly letter" });
    const club = await makeList(app, { name: "Poetry club", public: true });
    await app.api("POST", "/v1/topics", {
      body: { name: "Events near you", description: "Readings and evenings around Otley" },
    });
    for (const name of PEOPLE) {
      await addSubscriber(app, listId, addressOf(name), { first_name: "Priya" });
      await addSubscriber(app, club, addressOf(name));
    }
    paths = await sendWithPreferences(app, listId);
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
  });

  type Look = NonNullable<Parameters<Browser["newContext"]>[0]>;
  type Visit = { context: BrowserContext; page: Page; faults: string[] };

  async function open(path: string, look: Look = {}): Promise<Visit> {
    const context = await browser.newContext({
      viewport: { width: 360, height: 720 },
      locale: "en-GB",
      ...look,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(app.baseUrl).origin) faults.push(request.url());
    });
    page.on("console", (message) => {
      const isStatus = /Failed to load resource.* (404|410|422) /.test(message.text());
      if (message.type() === "error" && !isStatus) faults.push(message.text());
    });
    await page.goto(app.baseUrl + path);
    return { context, page, faults };
  }
  const pathOf = (name: string) => paths.get(addressOf(name)) ?? "";
  async function looksWell({ page }: Visit): Promise<void> {
    assert.ok(await fits(page), `${page.url()} doesn't scroll sideways`);
    assert.deepEqual(await violations(page), [], page.url());
  }
  async function finish({ context, faults }: Visit): Promise<void> {
    await context.close();
    assert.deepEqual(faults, []);
  }
  const press = ({ page }: Visit, name: string) => page.getByRole("button", { name, exact: true }).click();
  const heading = ({ page }: Visit, name: string) =>
    page.getByRole("heading", { name, exact: true }).waitFor();
  /** Opens the newest link that was mailed to an address. */
  async function openMailed(visit: Visit, email: string, nth: number): Promise<void> {
    const mails = await mailedLinks(app, email, nth);
    await visit.page.goto(app.baseUrl + (mails.at(nth - 1)?.path ?? ""));
  }

  for (const { name, ...look } of LOOKS) {
    test(`topics, lists, a pause and tracking are chosen and kept, in ${name} colours`, async () => {
      const visit = await open(pathOf(name), look);
      const { page } = visit;
      await looksWell(visit);
      assert.equal(await page.getByText(addressOf(name)).count(), 0, "the address is masked");
      await page.getByLabel("Poetry club").uncheck();
      await page.getByLabel("Events near you").uncheck();
      await page.getByLabel("Note which mails I open").uncheck();
      await page.getByLabel("Take a break").selectOption({ label: "For 30 days" });
      await press(visit, "Save");
      await page.getByText("Saved. It holds from the next mail on.").waitFor();
      await looksWell(visit);
      await page.goto(app.baseUrl + pathOf(name));
      for (const label of ["Poetry club", "Events near you", "Note which mails I open"]) {
        assert.equal(await page.getByLabel(label).isChecked(), false, label);
      }
      assert.equal(await page.getByLabel("The weekly letter").isChecked(), true);
      assert.match(
        (await page.getByLabel("Take a break").locator("option:checked").innerText()) ?? "",
        /^Until /,
      );
      await press(visit, "Stop everything");
      await heading(visit, "You are unsubscribed from everything");
      await press(visit, "Undo");
      await heading(visit, "You are subscribed again");
      await finish(visit);
    });
  }

  test("without JavaScript it works as well, and by keyboard", async () => {
    const visit = await open(pathOf("no-script"), { javaScriptEnabled: false });
    await visit.page.getByLabel("Events near you").focus();
    await visit.page.keyboard.press("Space");
    await visit.page.keyboard.press("Enter");
    await visit.page.getByText("Saved. It holds from the next mail on.").waitFor();
    assert.equal(await visit.page.getByLabel("Events near you").isChecked(), false);
    assert.equal(await visit.page.getByLabel("Poetry club").isChecked(), true, "Enter presses Save");
    await finish(visit);
  });

  test("somebody downloads what is known about them", async () => {
    const visit = await open(pathOf("data"), { colorScheme: "dark" });
    await press(visit, "What you know about me");
    await heading(visit, "Look into your mailbox");
    await looksWell(visit);
    await openMailed(visit, addressOf("data"), 1);
    await heading(visit, "What is known about you");
    await looksWell(visit);
    const downloading = visit.page.waitForEvent("download");
    await press(visit, "Download");
    const file = await downloading;
    assert.equal(file.suggestedFilename(), "my-data.json");
    const data = JSON.parse(readFileSync(await file.path(), "utf8"));
    assert.equal(data.subscriptions.length, 2);
    assert.equal(data.address, addressOf("data"));
    await finish(visit);
  });

  test("somebody changes their address, and it is confirmed at the new one", async () => {
    const visit = await open(pathOf("move"));
    await press(visit, "Change my address");
    await openMailed(visit, addressOf("move"), 1);
    await looksWell(visit);
    await visit.page.getByLabel("New e-mail address").fill("nobody@localhost");
    await press(visit, "Send the link to confirm");
    await visit.page.getByText("That isn’t an e-mail address that we can write to.").waitFor();
    await looksWell(visit);
    await visit.page.getByLabel("New e-mail address").fill("priya@moved.example");
    await press(visit, "Send the link to confirm");
    await heading(visit, "Confirm at the new address");
    await looksWell(visit);
    await openMailed(visit, "priya@moved.example", 1);
    await looksWell(visit);
    await press(visit, "Yes, use this address");
    await heading(visit, "Your address is changed");
    await looksWell(visit);
    const rows = await app.db.many(sql`select from subscribers where email = 'priya@moved.example'`);
    assert.equal(rows.length, 2);
    await finish(visit);
  });

  test("somebody is deleted, and their links say that there is nothing", async () => {
    const visit = await open(pathOf("delete"));
    await press(visit, "Delete me");
    await openMailed(visit, addressOf("delete"), 1);
    await looksWell(visit);
    await press(visit, "Delete everything");
    await heading(visit, "Everything is deleted");
    await looksWell(visit);
    await visit.page.goto(app.baseUrl + pathOf("delete"));
    await heading(visit, "There is nothing here");
    await looksWell(visit);
    await finish(visit);
  });
});
