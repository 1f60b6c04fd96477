/** More than 500 payloads in every field run nothing on any page, in a real browser. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { createApp, type TestApp } from "../support/app.ts";
import { launchChromium, skipWithoutChromium } from "../support/browser.ts";
import { MOST_MS, OWNER, press } from "../support/dashboard.ts";
import { PASSWORD } from "../support/people.ts";
import { until } from "../support/until.ts";
import { fillWithPayloads, HOSTILE_TO, hostileFile, type XssData } from "../support/xss-data.ts";
import { BEACON, ONE_LINE, PAYLOADS, pack } from "../support/xss-payloads.ts";
import { watchForXss, type XssWatch } from "../support/xss-watch.ts";

describe("payloads in every field, in a browser", { skip: skipWithoutChromium, timeout: 2 * MOST_MS }, () => {
  let app: TestApp;
  let browser: Browser;
  let watch: XssWatch;
  let page: Page;
  let data: XssData;
  before(async () => {
    // The endpoint that answers with payloads is on this machine.
    app = await createApp({ settings: { INTERNAL_HOSTS: "127.0.0.1" } });
    browser = await launchChromium();
    watch = await watchForXss(browser, app.baseUrl);
    page = watch.page;
    await page.goto(app.setupLink);
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Open the dashboard");
    await page.waitForURL(`${app.baseUrl}/`);
    data = await fillWithPayloads(app);
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
  });

  afterEach(() => assert.deepEqual(watch.problems.splice(0), []));

  /** Opens a page and looks at it once it is at rest. */
  const visit = async (path: string, expects?: "nothing") => {
    await page.goto(app.baseUrl + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForLoadState("networkidle");
    await watch.look(path, expects);
  };
  /** Looks at all pages of a list. */
  const visitAll = async (path: string) => {
    await visit(path);
    const older = page.getByRole("button", { name: "Older" });
    while ((await older.count()) > 0 && (await older.isEnabled())) {
      // The old rows stay until the new ones are there.
      const firstRow = () => page.locator("main tbody tr").first().innerText();
      const before = await firstRow();
      await older.click();
      await until(async () => (await firstRow()) !== before);
      await watch.look(page.url());
    }
  };

  test("there are more than 500, each another", () => {
    assert.ok(PAYLOADS.length >= 500, `${PAYLOADS.length}`);
    assert.equal(new Set(PAYLOADS).size, PAYLOADS.length);
  });

  test("a page that takes them for markup is found out in every way", async () => {
    const control = await watchForXss(browser, app.baseUrl);
    const divs = `for (const text of ${JSON.stringify(ONE_LINE)}) {
      const div = document.createElement("div"); div.innerHTML = text; document.body.append(div); }`;
    await control.context.route("**/control-*", (route) => {
      const isOfScripts = route.request().url().endsWith("scripts");
      const body = isOfScripts
        ? `<h1>x</h1><script>__xss(9000)</script><script src="//${BEACON}/x.js"></script><script>alert(1)</script>`
        : `<h1>x</h1><script>${divs.replaceAll("<", "\\u003c")}</script>`;
      return route.fulfill({ contentType: "text/html", body });
    });
    await control.page.goto(`${app.baseUrl}/control-scripts`);
    const says = (what: RegExp) => control.found.some((one) => what.test(one));
    assert.ok(says(/^payload 9000 ran/) && says(/^asked .* as script/) && says(/^opened a dialog/));
    control.found.length = 0;
    await control.page.goto(`${app.baseUrl}/control-markup`).catch(() => undefined);
    const ran = () =>
      new Set(control.found.filter((one) => one.startsWith("payload")).map((one) => one.split(" ")[1]));
    await until(() => ran().size >= 60);
    await control.context.close();
  });

  test("the audience: subscribers, lists, fields, segments, imports, exports", async () => {
    await visitAll("/subscribers");
    await visitAll("/lists");
    await visit("/fields");
    await visit("/topics");
    await visitAll("/segments");
    await visit(`/segments/${data.segmentId}`);
    await visit(`/subscribers/${data.subscriberId}`);
    await press(page, "Edit");
    await page.getByRole("dialog").waitFor();
    await watch.look("the dialog of a subscriber");
    await visit("/imports");
    await visit(`/imports/${data.importId}`);
    await visit("/exports");
    await visit("/suppressions", "nothing");
  });

  test("a file whose name, headings and cells are payloads, in the wizard", async () => {
    await page.goto(`${app.baseUrl}/imports/new`);
    const name = `${ONE_LINE[0]}.csv`.replaceAll("/", "");
    const buffer = Buffer.from(hostileFile());
    await page.getByLabel("File", { exact: true }).setInputFiles({ name, mimeType: "text/csv", buffer });
    await page.getByText(name).first().waitFor();
    await watch.look("the file");
    await press(page, "Look at the columns");
    await page
      .getByLabel(/becomes$/)
      .first()
      .waitFor();
    await watch.look("the columns");
    await press(page, "Try it on all rows");
    await page.getByRole("heading", { name: /rows with a fault/ }).waitFor();
    await watch.look("the dry run");
  });

  test("campaigns: the list, the composer, the report and the recipients", async () => {
    await visitAll("/campaigns");
    for (const id of [data.draftId, data.mjmlDraftId]) {
      await page.goto(`${app.baseUrl}/campaigns/${id}/edit`);
      await page.getByRole("heading").first().waitFor();
      await page.waitForLoadState("networkidle");
      await watch.look(`the composer of ${id}`);
    }
    const report = `/campaigns/${data.campaignId}`;
    for (const part of ["", "/links", "/domains", "/mail"]) await visit(report + part);
    await visitAll(`${report}/recipients`);
    await page.locator("td.c-main a").first().click();
    await page.getByRole("complementary", { name: "One recipient" }).waitFor();
    await watch.look("one recipient");
  });

  test("the sandbox's inbox: the mail, its text, its headers and its bytes", async () => {
    const caught = async (to: string) =>
      (await app.api("GET", `/v1/sandbox/messages?limit=1&to=${to}`)).body.data[0].id;
    const hostile = await caught(HOSTILE_TO);
    for (const [id, view] of [
      ...["mail", "text", "headers", "raw"].map((one) => [hostile, one] as const),
      [await caught("reader0@example.com"), "mail"] as const,
    ]) {
      await page.goto(`${app.baseUrl}/inbox?message=${id}&view=${view}`);
      await page.locator(".inbox-envelope").waitFor();
      await page.waitForLoadState("networkidle");
      await watch.look(`the inbox: ${view}`);
    }
    // Its links lead out, so none is pressed; but the pointer goes over everything, and the keyboard too.
    await page.goto(`${app.baseUrl}/inbox?message=${hostile}`);
    const box = await page.locator("iframe").boundingBox();
    for (let y = 0; box && y < box.height; y += 80)
      await page.mouse.move(box.x + box.width / 2, box.y + y, { steps: 2 });
    for (let n = 0; n < 10; n++) await page.keyboard.press("Tab");
    await watch.look("the mail under the pointer");
  });

  test("transactional mail: the list, and one in every way", async () => {
    await visitAll("/emails");
    for (const view of ["mail", "text", "headers", "raw"])
      await visit(`/emails/${data.emailId}?view=${view}`);
  });

  test("webhooks: the list, one endpoint, its form, and what it answered", async () => {
    const { webhookId, deliveryIds } = data.webhook;
    await visit("/webhooks");
    await visit(`/webhooks/${webhookId}`);
    for (const id of deliveryIds) {
      await page.goto(`${app.baseUrl}/webhooks/${webhookId}?delivery=${id}`);
      await page.getByText("They answered").waitFor();
      await watch.look(`the answer ${id}`);
    }
    await press(page, "Edit");
    await page.getByRole("dialog").waitFor();
    await watch.look("the dialog of an endpoint");
  });

  test("settings, keys, people, events, and Home", async () => {
    await visitAll("/api-keys");
    await visitAll("/settings/people");
    for (const part of ["account", "sender", "transports"]) await visit(`/settings/${part}`);
    for (const part of ["settings/branding", "settings/tracking", "settings/health", "settings/profile"])
      await visit(`/${part}`, "nothing");
    await visit("/events", "nothing");
    await visit("/", "nothing");
  });

  test("the palette, a dialog and a toast", async () => {
    await visit("/lists");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill("onerror");
    await page
      .getByRole("option", { name: /onerror/ })
      .first()
      .waitFor();
    await watch.look("the palette");
    await page.keyboard.press("Escape");
    await press(page, "New list");
    const name = pack(ONE_LINE, 200)[30] ?? "";
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("dialog").getByRole("button", { name: "New list", exact: true }).click();
    await page
      .getByText(`The list “${name.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, "")}” was made`)
      .first()
      .waitFor();
    await watch.look("a toast");
  });

  test("the public pages: the archive, a mail in it, the mail in the browser, and the way out", async () => {
    await visit(`/archive/${data.slug}`);
    const mails = await page
      .locator("main a[href*='/cmp_']")
      .evaluateAll((links) => links.map((link) => String(Reflect.get(link, "href"))));
    const [first] = mails;
    assert.ok(first, "there is a mail in it");
    await page.goto(first);
    await page.waitForLoadState("networkidle");
    await watch.look("a mail of the archive");
    const { body } = await app.api("GET", "/v1/sandbox/messages?limit=1&to=reader0@example.com");
    const { body: mail } = await app.api("GET", `/v1/sandbox/messages/${body.data[0].id}`);
    const wayOut = /<(https?:[^>]+\/u\/[^>]+)>/.exec(JSON.stringify(mail.headers))?.[1];
    assert.ok(wayOut, "there is a way out");
    await visit(new URL(wayOut).pathname);
    await page.goto(app.baseUrl + new URL(wayOut).pathname.replace("/u/", "/v/"));
    await page.waitForLoadState("networkidle");
    assert.deepEqual(watch.found, [], "the mail in the browser");
  });

  test("nearly all of them stood on the pages as text, and nothing ran", () => {
    assert.deepEqual(watch.found, []);
    assert.ok(watch.shown.size >= 450, `${watch.shown.size} were seen`);
  });
});
